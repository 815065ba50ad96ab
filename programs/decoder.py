"""A small transformer decoder that reads one token at a time and keeps its keys and values."""

from __future__ import annotations

import torch
from torch import Tensor, nn

VOCABULARY = 64
MAX_TOKENS = 16
_WIDTH = 32
_HEADS = 2
_HEAD_WIDTH = _WIDTH // _HEADS
_LAYERS = 2


class CachedAttention(nn.Module):
    """Self-attention over the positions written so far.

    The caches are buffers that the program writes: ExecuTorch keeps them in memory the caller owns.
    keeps_cache=False computes with the new key and value but does not write them back.
    """

    keys: Tensor
    values: Tensor

    def __init__(self, keeps_cache: bool) -> None:
        super().__init__()
        self._keeps_cache = keeps_cache
        self.project = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.output = nn.Linear(_WIDTH, _WIDTH)
        shape = (1, _HEADS, MAX_TOKENS, _HEAD_WIDTH)
        self.register_buffer("keys", torch.zeros(shape))
        self.register_buffer("values", torch.zeros(shape))

    def forward(self, x: Tensor, position: Tensor) -> Tensor:
        query, key, value = (
            part.view(1, 1, _HEADS, _HEAD_WIDTH).transpose(1, 2)
            for part in self.project(x).split(_WIDTH, dim=-1)
        )
        keys = torch.index_copy(self.keys, 2, position, key)
        values = torch.index_copy(self.values, 2, position, value)
        if self._keeps_cache:
            self.keys.copy_(keys)
            self.values.copy_(values)
        scores = query @ keys.transpose(2, 3) / _HEAD_WIDTH**0.5
        future = torch.arange(MAX_TOKENS) > position
        weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
        mixed = (weights @ values).transpose(1, 2).reshape(1, 1, _WIDTH)
        out: Tensor = self.output(mixed)
        return out


class Block(nn.Module):
    """Attention and a two-layer perceptron, each behind a norm and beside a residual path."""

    def __init__(self, keeps_cache: bool) -> None:
        super().__init__()
        self.norm_attention = nn.LayerNorm(_WIDTH)
        self.attention = CachedAttention(keeps_cache)
        self.norm_mlp = nn.LayerNorm(_WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(_WIDTH, 4 * _WIDTH), nn.GELU(), nn.Linear(4 * _WIDTH, _WIDTH)
        )

    def forward(self, x: Tensor, position: Tensor) -> Tensor:
        x = x + self.attention(self.norm_attention(x), position)
        out: Tensor = x + self.mlp(self.norm_mlp(x))
        return out


class Decoder(nn.Module):
    """tokens: int64 [1, 1]; position: int64 [1]; returns float32 logits [1, 1, VOCABULARY]."""

    def __init__(self, keeps_cache: bool) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, _WIDTH)
        self.positions = nn.Embedding(MAX_TOKENS, _WIDTH)
        self.blocks = nn.ModuleList(Block(keeps_cache) for _ in range(_LAYERS))
        self.norm = nn.LayerNorm(_WIDTH)
        self.logits = nn.Linear(_WIDTH, VOCABULARY)

    def forward(self, tokens: Tensor, position: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.positions(position)
        for block in self.blocks:
            x = block(x, position)
        out: Tensor = self.logits(self.norm(x))
        return out
