// spec: init step 10, execute steps 4 and 6; case 15.
#include "rig/fixture.h"

namespace contract {
namespace {

const std::vector<float> kOnes(4, 1);

class Aliases : public ContractTest {};

// cache_out = cache + step, in place of cache.
struct Cache {
  explicit Cache(Place output_place = Place::kDevice, size_t cache_offset = 0, size_t output_offset = 0)
      : step(filled(Place::kPageable, kOnes)),
        cache(filled(Place::kDevice, std::vector<float>(4, 0), 0, cache_offset)),
        updated(output_place, 16, 0, output_offset),
        a(ScalarType::Float, {4}, step),
        b(ScalarType::Float, {4}, cache),
        c(ScalarType::Float, {4}, updated) {}
  Error run(Loaded& loaded) { return loaded->execute({&a, &b, &c}); }
  Buffer step;
  Buffer cache;
  Buffer updated;
  TensorArg a;
  TensorArg b;
  TensorArg c;
};

TEST_F(Aliases, InPlaceIncrementThreeTimesGivesThree) {
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Cache args;
  args.c.set_data(args.cache.data());  // the caller gives the same buffer for both
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(args.run(loaded), Error::Ok);
  }
  EXPECT_EQ(args.cache.read<float>(), std::vector<float>(4, 3));
}

class AliasedOutputs : public ContractTestWith<Place> {};

TEST_P(AliasedOutputs, OwnBufferGetsACopyAndTheInputKeepsTheUpdate) {
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Cache args(GetParam());
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(args.run(loaded), Error::Ok);
    EXPECT_EQ(args.cache.read<float>(), std::vector<float>(4, static_cast<float>(i)));
    EXPECT_EQ(args.updated.read<float>(), std::vector<float>(4, static_cast<float>(i)));
  }
}

INSTANTIATE_TEST_SUITE_P(In, AliasedOutputs, testing::ValuesIn(kAllPlaces), place_name);

TEST_F(Aliases, SameBufferIsNotCopied) {
  NEEDS_SIMULATED_CUDA("CUDA's calls are counted by the stand-in only");
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Cache args;
  args.c.set_data(args.cache.data());
  Buffer device_step = filled(Place::kDevice, kOnes);
  args.a.set_data(device_step.data());
  const Calls calls;
  ASSERT_EQ(args.run(loaded), Error::Ok);
  EXPECT_EQ(calls.cuda("cudaMemcpyAsync"), 0);
}

TEST_F(Aliases, ManagedCacheIsUpdatedInPlace) {
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Cache args;
  Buffer managed = filled(Place::kManaged, std::vector<float>(4, 0));
  args.b.set_data(managed.data());
  args.c.set_data(managed.data());
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(args.run(loaded), Error::Ok);
  }
  EXPECT_EQ(managed.read<float>(), std::vector<float>(4, 3));
}

TEST_F(Aliases, HostCacheIsRefusedByName) {
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  ASSERT_EQ(loaded.error, Error::Ok);
  for (const Place place : {Place::kPageable, Place::kPinned}) {
    Cache args;
    Buffer host = filled(place, std::vector<float>(4, 0));
    args.b.set_data(host.data());
    const ScopedLog log;
    EXPECT_EQ(args.run(loaded), Error::InvalidArgument) << name_of(place);
    EXPECT_TRUE(log.has({": cache", "host memory", "GPU memory"})) << name_of(place);
    EXPECT_EQ(host.read<float>(), std::vector<float>(4, 0)) << name_of(place);
  }
}

TEST_F(Aliases, LessAlignedCacheIsCopiedBackIntoTheInput) {
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Cache args(Place::kDevice, 16, 48);
  const ScopedLog log;
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(args.run(loaded), Error::Ok);
    EXPECT_EQ(args.cache.read<float>(), std::vector<float>(4, static_cast<float>(i)));
    EXPECT_EQ(args.updated.read<float>(), std::vector<float>(4, static_cast<float>(i)));
  }
}

TEST_F(Aliases, MagicIsOnlyAFloor) {
  for (const char* magic : {"TR01", "TR02"}) {
    auto loaded = load(pack_blob(magic, metadata_json(plans::cache_text()), plans::cache()));
    ASSERT_EQ(loaded.error, Error::Ok) << magic;
    Cache args;
    EXPECT_EQ(args.run(loaded), Error::Ok) << magic;
    EXPECT_EQ(args.cache.read<float>(), kOnes) << magic;
  }
}

TEST_F(Aliases, BlobOfAnotherMagicIsRefusedWithOrWithoutAliases) {
  for (const char* magic : {"TR03", "TR00", "tr02", "ET02"}) {
    const ScopedLog log;
    EXPECT_EQ(load(pack_blob(magic, metadata_json(plans::cache_text()), plans::cache())).error, Error::InvalidProgram)
        << magic;
    EXPECT_TRUE(log.has({"TR01", "TR02"})) << magic;
    EXPECT_EQ(load(pack_blob(magic, metadata_json(one_in_one_out_text()), plans::add_one({4}))).error,
              Error::InvalidProgram)
        << magic;
  }
}

TEST_F(Aliases, MapNamesAnAliasTheEngineDoesNotHave) {
  BlobText text = plans::cache_text();
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::cache_without_alias())).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({": cache_out", ": cache"}));
  EXPECT_TRUE(log.nothing_cut());
}

TEST_F(Aliases, EngineHasAnAliasTheMapDoesNotName) {
  BlobText text = plans::cache_text();
  text.aliases.clear();
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::cache())).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({": cache_out", ": cache"}));
}

TEST_F(Aliases, MapNamesAnotherInputThanTheEngine) {
  BlobText text = plans::cache_text();
  text.aliases[0].input = "step";
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::cache())).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({": cache_out", ": cache", ": step"}));
}

TEST_F(Aliases, KvCacheUpdateIsTheDefaultKind) {
  BlobText text = plans::cache_text();
  text.aliases[0].kind = "kv_cache_update";
  EXPECT_EQ(load(make_blob(text, plans::cache())).error, Error::Ok);
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::cache_without_alias())).error, Error::InvalidProgram);
}

TEST_F(Aliases, UserKindNeedsNoAliasOfTheEngine) {
  BlobText text = plans::cache_text();
  text.aliases[0].kind = "user";
  auto loaded = load(make_blob(text, plans::cache_without_alias()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Cache args;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(args.run(loaded), Error::Ok);
  }
  EXPECT_EQ(args.cache.read<float>(), std::vector<float>(4, 3));
  EXPECT_EQ(args.updated.read<float>(), std::vector<float>(4, 3));
}

TEST_F(Aliases, UserKindOfAnotherShapeIsRefused) {
  BlobText text = plans::cache_text();
  text.aliases[0] = {"y", "x", "user"};
  text.bindings = one_in_one_out_text().bindings;
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::rows_summed({4, 2}))).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({": y", ": x", "shape"}));
}

TEST_F(Aliases, UserKindOfAnotherDtypeIsRefused) {
  BlobText text = plans::cache_text();
  text.aliases[0] = {"y", "x", "user"};
  text.bindings = one_in_one_out_text().bindings;
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::cast(DataType::kFloat32, DataType::kInt32, {4}))).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({": y", ": x", "dtype"}));
}

TEST_F(Aliases, UnknownKindIsRefused) {
  BlobText text = plans::cache_text();
  text.aliases[0].kind = "inplace";
  const ScopedLog log;
  EXPECT_EQ(load(make_blob(text, plans::cache())).error, Error::InvalidProgram);
  EXPECT_TRUE(log.has({"inplace"}));
}

TEST_F(Aliases, ProducerOnTheCallersStreamIsSeen) {
  // The copy back runs on the stream of the launch, behind it.
  NEEDS_SIMULATED_CUDA("lazy streams are simulated only");
  set_cuda("mode", "lazy");
  auto loaded = load(make_blob(plans::cache_text(), plans::cache()));
  ASSERT_EQ(loaded.error, Error::Ok);
  Cache args(Place::kPageable);
  ASSERT_EQ(args.run(loaded), Error::Ok);
  EXPECT_EQ(args.updated.read<float>(), kOnes);
}

}  // namespace
}  // namespace contract
