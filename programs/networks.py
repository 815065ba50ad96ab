"""Networks with random weights, each for one thing that real exporters write."""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn
from torch.export import Dim

from programs.decoder import MAX_TOKENS, VOCABULARY, Decoder
from programs.definition import Case, Definition, random
from programs.mobilenet import random_mobilenet

# Float32 sums in another order than eager's, over up to a few hundred terms and layers.
_FLOAT32 = 1e-5
_NOT_ONES = "its runner feeds float 1.0 to every input, whatever its type"
_NO_ATEN = "its runner has no aten:: operators, which the rest of the graph needs"
_NO_XNNPACK = "its runner has no XNNPACK"


class Mlp(nn.Module):
    """Three layers; `trunk` and `head` so that they can go to different backends."""

    def __init__(self, width: int = 32, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(16, width, dtype=dtype), nn.GELU(), nn.Linear(width, width, dtype=dtype)
        )
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(width, 4, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.trunk(x))
        return out


class TwoParts(nn.Module):
    """expm1 has no counterpart in the stand-in's builder, so it stays between two parts."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.second(torch.expm1(torch.tanh(self.first(x))))
        return out


class TokenClassifier(nn.Module):
    """int64 token ids in, class scores and the best class's index (int64) out."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.scores = nn.Linear(16, 5)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        scores = self.scores(self.embedding(tokens).mean(dim=1))
        return scores, scores.argmax(dim=1)


class MaskedPooling(nn.Module):
    """Attention pooling over the positions that a bool mask admits; returns the mask it used."""

    def __init__(self) -> None:
        super().__init__()
        self.score = nn.Linear(8, 1)

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        scores = self.score(x).squeeze(-1).masked_fill(~mask, float("-inf"))
        return (torch.softmax(scores, dim=1).unsqueeze(-1) * x).sum(dim=1), mask & (scores > 0)


class MeanSquare(nn.Module):
    """A scalar: rank 0."""

    def forward(self, x: Tensor) -> Tensor:
        return (x * x).mean()


class Counter(nn.Module):
    """int32 arithmetic."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x * 3 + y


def _vision() -> Definition:
    image = random(1, 3, 64, 64)
    return Definition(
        "mobilenet_v3_small",
        "vision network, 64x64 image",
        random_mobilenet,
        [Case("random", (image,)), Case("ones", (torch.ones_like(image),))],
        tolerance=_FLOAT32,
    )


def _decoder(keeps_cache: bool) -> Definition:
    steps = [
        Case(
            f"position_{position}",
            (torch.tensor([[token]]), torch.tensor([position])),
            continues=position > 0,
        )
        for position, token in enumerate((3, 17, 5, VOCABULARY - 1))
    ]
    assert len(steps) <= MAX_TOKENS
    return Definition(
        "decoder" if keeps_cache else "decoder_forgetful",
        "transformer decoder, KV cache in the caller's memory"
        if keeps_cache
        else "the decoder with a cache that does not persist",
        functools.partial(Decoder, keeps_cache=keeps_cache),
        steps,
        tolerance=_FLOAT32,
        peer=_NOT_ONES,
    )


def _perceptrons() -> list[Definition]:
    """One network, shared out between backends and in other precisions."""
    batch = Dim("batch", min=1, max=16)
    return [
        Definition(
            "mlp",
            "multi-layer perceptron, batch of 1 to 16",
            Mlp,
            [
                Case("batch_3", (random(3, 16),)),
                Case("batch_1", (random(1, 16),)),
                Case("ones", (torch.ones(16, 16),)),
            ],
            dynamic_shapes={"x": {0: batch}},
            tolerance=_FLOAT32,
        ),
        Definition(
            "mlp_half",
            "the perceptron in float16",
            functools.partial(Mlp, dtype=torch.float16),
            [Case("random", (random(2, 16).half(),))],
            tolerance=4e-3,
            peer=_NOT_ONES,
        ),
        Definition(
            "mlp_split",
            "trunk on this delegate, head on XNNPACK",
            Mlp,
            [Case("random", (random(2, 16),))],
            delegate_modules=("trunk",),
            other_backends=("xnnpack",),
            tolerance=_FLOAT32,
            peer=_NO_XNNPACK,
        ),
    ]


def _signatures() -> list[Definition]:
    """Inputs and outputs that are not one float32 tensor."""
    tokens = torch.randint(0, 50, (2, 7), generator=torch.Generator().manual_seed(0))
    mask = torch.tensor([[True, True, False, True, False], [False, True, True, True, True]])
    return [
        Definition(
            "token_classifier",
            "int64 tokens in, float32 scores and int64 class out",
            TokenClassifier,
            [Case("random", (tokens,))],
            tolerance=_FLOAT32,
            peer=_NOT_ONES,
        ),
        Definition(
            "masked_pooling",
            "bool mask in, bool mask out",
            MaskedPooling,
            [Case("random", (random(2, 5, 8), mask))],
            tolerance=_FLOAT32,
            peer=_NOT_ONES,
        ),
        Definition(
            "mean_square",
            "scalar output",
            MeanSquare,
            [Case("random", (random(3, 4),)), Case("ones", (torch.ones(3, 4),))],
            tolerance=_FLOAT32,
        ),
        Definition(
            "integers",
            "int32 arithmetic",
            Counter,
            [
                Case(
                    "values",
                    (
                        torch.arange(-3, 3, dtype=torch.int32),
                        torch.arange(6, dtype=torch.int32) * 100_000,
                    ),
                )
            ],
            tolerance=0.0,
            peer=_NOT_ONES,
        ),
    ]


def _two_parts() -> Definition:
    return Definition(
        "two_parts",
        "two delegated parts around an operator the builder lacks",
        TwoParts,
        [Case("random", (random(2, 8),))],
        tolerance=_FLOAT32,
        parts=2,
        peer=_NO_ATEN,
    )


def networks() -> list[Definition]:
    """All networks, in the order they are listed to people."""
    return [
        _vision(),
        _decoder(keeps_cache=True),
        _decoder(keeps_cache=False),
        *_perceptrons(),
        _two_parts(),
        *_signatures(),
    ]
