#include "structured.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

// Weak: only libFuzzer defines it.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace fuzz {
namespace {

constexpr size_t kHeaderBytes = 32;
constexpr size_t kEngineAlignment = 16;
// Room for one mutation to add.
constexpr size_t kGrowthBytes = 64;
// As much of an engine as anything of ours reads.
constexpr size_t kPlanTagBytes = 28;

constexpr const char* kWords[] = {"\"io_bindings\"",
                                  "\"aliased_io\"",
                                  "\"hardware_compatible\"",
                                  "\"device_id\"",
                                  "\"serialized_metadata\"",
                                  "\"target_platform\"",
                                  "\"name\"",
                                  "\"dtype\"",
                                  "\"shape\"",
                                  "\"is_input\"",
                                  "\"output\"",
                                  "\"input\"",
                                  "\"kind\"",
                                  "\"user\"",
                                  "\"kv_cache_update\"",
                                  "\"\"",
                                  "\"\\u0000\"",
                                  "\"\\ud83d\\ude00\"",
                                  "true",
                                  "false",
                                  "null",
                                  "0",
                                  "-1",
                                  "2147483647",
                                  "2147483648",
                                  "9223372036854775807",
                                  "-9223372036854775809",
                                  "1e400",
                                  "0.5",
                                  "{}",
                                  "[]",
                                  "[[[]]]"};

using Tokens = std::vector<std::string>;
using Random = std::minstd_rand;

size_t pick(Random& random, size_t count) { return random() % count; }

bool is_structural(char c) { return std::strchr("{}[],:", c) != nullptr && c != '\0'; }

// Strings, single structural characters and runs of anything else; joined they are `json` again.
Tokens split(const std::string& json) {
  Tokens tokens;
  for (size_t i = 0; i < json.size();) {
    size_t end = i + 1;
    if (json[i] == '"') {
      while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
      ++end;
    } else if (!is_structural(json[i])) {
      while (end < json.size() && json[end] != '"' && !is_structural(json[end])) ++end;
    }
    tokens.push_back(json.substr(i, end - i));
    i = std::min(end, json.size());
  }
  return tokens;
}

// Where a value or a member may begin; not the whole document, which would leave nothing.
std::vector<size_t> starts(const Tokens& tokens) {
  std::vector<size_t> found;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].find_first_of("}],:") != 0) found.push_back(i);
  }
  return found;
}

// One past the value that begins at `begin`: its closing bracket, or just the token itself.
size_t end_of_value(const Tokens& tokens, size_t begin) {
  size_t depth = 0;
  for (size_t i = begin; i < tokens.size(); ++i) {
    if (tokens[i] == "{" || tokens[i] == "[") ++depth;
    if ((tokens[i] == "}" || tokens[i] == "]") && depth > 0) --depth;
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

// The same for a member: a key, its colon and its value.
size_t end_of_member(const Tokens& tokens, size_t begin) {
  const size_t end = end_of_value(tokens, begin);
  return end + 1 < tokens.size() && tokens[end] == ":" ? end_of_value(tokens, end + 1) : end;
}

bool is_string(const std::string& token) { return token[0] == '"'; }

void replace(Tokens& tokens, size_t at, Random& random) {
  std::string word;
  do {
    word = kWords[pick(random, std::size(kWords))];
  } while (is_string(tokens[at]) && !is_string(word) && pick(random, 4) != 0);
  const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at);
  tokens.erase(begin + 1, tokens.begin() + static_cast<std::ptrdiff_t>(end_of_value(tokens, at)));
  tokens[at] = word;
}

void remove(Tokens& tokens, size_t at) {
  size_t end = end_of_member(tokens, at);
  if (end < tokens.size() && tokens[end] == ",")
    ++end;
  else if (at > 0 && tokens[at - 1] == ",")
    --at;
  const auto first = tokens.begin();
  tokens.erase(first + static_cast<std::ptrdiff_t>(at), first + static_cast<std::ptrdiff_t>(end));
}

void repeat(Tokens& tokens, size_t at) {
  const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(end_of_member(tokens, at));
  Tokens again(begin, end);
  again.insert(again.begin(), ",");
  tokens.insert(end, again.begin(), again.end());
}

void mutate_tokens(Tokens& tokens, Random& random) {
  const std::vector<size_t> places = starts(tokens);
  if (places.empty()) return;
  const size_t at = places[pick(random, places.size())];
  const size_t other = places[pick(random, places.size())];
  switch (pick(random, 4)) {
    case 0:
      return remove(tokens, at);
    case 1:
      return repeat(tokens, at);
    case 2:
      if (is_string(tokens[at]) == is_string(tokens[other])) std::swap(tokens[at], tokens[other]);
      return;
    default:
      return replace(tokens, at, random);
  }
}

void write(std::string& bytes, size_t offset, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[offset + i] = static_cast<char>(value >> (8 * i));
}

uint64_t read(const uint8_t* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= uint64_t{bytes[i]} << (8 * i);
  return value;
}

}  // namespace

size_t mutate_bytes(uint8_t* data, size_t size, size_t max_size) {
  if (&LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, max_size);
  if (size != 0) data[size / 2] = static_cast<uint8_t>(data[size / 2] ^ 1u);
  return size;
}

void mutate_json(std::string& json, unsigned seed) {
  Random random(seed);
  Tokens tokens = split(json);
  if (tokens.empty() || pick(random, 3) == 0) {
    const size_t length = json.size();
    json.resize(length + kGrowthBytes);
    json.resize(mutate_bytes(reinterpret_cast<uint8_t*>(&json[0]), length, json.size()));
    return;
  }
  mutate_tokens(tokens, random);
  json.clear();
  for (const std::string& token : tokens) json += token;
}

std::string metadata_of(const uint8_t* data, size_t size) {
  if (size <= kHeaderBytes) return "{}";
  const size_t offset = read(data + 4, 4), length = read(data + 8, 4);
  if (offset < kHeaderBytes || offset >= size) return "{}";
  return {reinterpret_cast<const char*>(data) + offset, std::min(length, size - offset)};
}

size_t write_blob_around(const std::string& metadata, unsigned seed, uint8_t* data, size_t max_size) {
  Random random(seed);
  const size_t metadata_offset = kHeaderBytes + (pick(random, 4) == 0 ? pick(random, 40) : 0);
  const size_t metadata_end = metadata_offset + metadata.size() + (pick(random, 4) == 0 ? pick(random, 40) : 0);
  const size_t engine_offset = (metadata_end + kEngineAlignment - 1) / kEngineAlignment * kEngineAlignment;
  const size_t engine_bytes = 1 + pick(random, 2 * kPlanTagBytes);
  std::string blob(engine_offset + engine_bytes, '\0');
  blob.replace(0, 4, pick(random, 2) == 0 ? "TR01" : "TR02");
  write(blob, 4, metadata_offset, 4);
  write(blob, 8, metadata.size(), 4);
  write(blob, 12, engine_offset, 4);
  write(blob, 16, engine_bytes, 8);
  blob.replace(metadata_offset, metadata.size(), metadata);
  if (engine_bytes >= kPlanTagBytes) blob.replace(engine_offset, 4, "ftrt");
  const size_t size = std::min(blob.size(), max_size);
  std::memcpy(data, blob.data(), size);
  return size;
}

bool mutate_embedded_blob(uint8_t* data, size_t size, unsigned seed) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  size_t begin = bytes.find("TR0");
  for (; begin != bytes.npos; begin = bytes.find("TR0", begin + 1)) {
    const size_t rest = size - begin;
    if (rest < kHeaderBytes) return false;
    const uint8_t* blob = data + begin;
    const size_t offset = read(blob + 4, 4), length = read(blob + 8, 4), engine = read(blob + 12, 4);
    if (offset < kHeaderBytes || length == 0 || offset + length > engine || engine + kPlanTagBytes > rest) continue;
    if (seed % 8 == 0) {
      (void)mutate_bytes(data + begin + engine, kPlanTagBytes, kPlanTagBytes);
      return true;
    }
    std::string json(bytes.substr(begin + offset, length));
    mutate_json(json, seed);
    json.resize(length, ' ');
    std::memcpy(data + begin + offset, json.data(), length);
    return true;
  }
  return false;
}

}  // namespace fuzz
