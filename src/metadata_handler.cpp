#include "metadata_handler.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "base/json.h"
#include "base/message.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;

namespace {

constexpr std::size_t kMaxDepth = 64;

enum class Where : std::uint8_t { kDocument, kRoot, kBindings, kBinding, kShape, kAliases, kAlias };

enum class Kind : std::uint8_t { kObject, kArray, kString, kNumber, kFlag, kNull };

constexpr const char* kKindNames[] = {
    "an object", "an array", "a string", "an integer", "true or false", "null"};

enum class KeyId : std::uint8_t {
  kBindings,
  kAliases,
  kHardwareCompatible,
  kDeviceId,
  kSerializedMetadata,
  kTargetPlatform,
  kName,
  kDtype,
  kShape,
  kIsInput,
  kOutput,
  kInput,
  kAliasKind
};

struct KeyRule {
  Where where;
  std::string_view text;
  KeyId key;
  Kind wanted;
};

constexpr KeyRule kKeyRules[] = {
    {Where::kRoot, "io_bindings", KeyId::kBindings, Kind::kArray},
    {Where::kRoot, "aliased_io", KeyId::kAliases, Kind::kArray},
    {Where::kRoot, "hardware_compatible", KeyId::kHardwareCompatible, Kind::kFlag},
    {Where::kRoot, "device_id", KeyId::kDeviceId, Kind::kNumber},
    {Where::kRoot, "serialized_metadata", KeyId::kSerializedMetadata, Kind::kString},
    {Where::kRoot, "target_platform", KeyId::kTargetPlatform, Kind::kString},
    {Where::kBinding, "name", KeyId::kName, Kind::kString},
    {Where::kBinding, "dtype", KeyId::kDtype, Kind::kString},
    {Where::kBinding, "shape", KeyId::kShape, Kind::kArray},
    {Where::kBinding, "is_input", KeyId::kIsInput, Kind::kFlag},
    {Where::kAlias, "output", KeyId::kOutput, Kind::kString},
    {Where::kAlias, "input", KeyId::kInput, Kind::kString},
    {Where::kAlias, "kind", KeyId::kAliasKind, Kind::kString},
};

constexpr std::uint32_t bit(KeyId key) {
  return std::uint32_t{1} << static_cast<unsigned>(key);
}

// A position in the document as a person would write it: io_bindings[2].name
struct Place {
  char text[64];
};

// RapidJSON's event receiver. A function returning false stops the parse; error() then says why.
class Handler {
 public:
  explicit Handler(Metadata& metadata) : metadata_(metadata), text_end_(metadata.text.get()) {}

  Error error() const { return error_; }

  bool Null() { return is_skipped() || accepts(Kind::kNull, "null"); }
  bool Bool(bool value) {
    return is_skipped() ||
        (accepts(Kind::kFlag, value ? "true" : "false") && (set_flag(value), true));
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    return is_skipped() || set_number({text, length});
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    if (has_surrogate({text, length})) {
      return false;
    }
    return is_skipped() || (accepts(Kind::kString, "a string") && set_string({text, length}));
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (has_surrogate({text, length})) {
      return false;
    }
    return skip_depth_ != 0 || set_key({text, length});
  }
  bool StartObject() { return enter(Kind::kObject, "an object"); }
  bool StartArray() { return enter(Kind::kArray, "an array"); }
  bool EndObject(rapidjson::SizeType) { return leave(); }
  bool EndArray(rapidjson::SizeType) { return leave(); }
  // Numbers arrive as text, so these never run.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool is_array() const {
    return where_ == Where::kBindings || where_ == Where::kAliases || where_ == Where::kShape;
  }
  bool is_skipped() const {
    return skip_depth_ != 0 || (where_ != Where::kDocument && !is_array() && rule_ == nullptr);
  }
  bool fail(Error error) {
    error_ = error;
    return false;
  }

  bool accepts(Kind seen, std::string_view text);
  bool set_key(std::string_view text);
  void set_flag(bool value);
  bool set_number(std::string_view text);
  bool set_string(std::string_view text);
  bool set_alias_kind(std::string_view text);
  bool enter(Kind kind, std::string_view text);
  bool leave();
  bool finish_binding();
  bool finish_alias();
  std::string_view keep(std::string_view text);
  Place place() const;

  Metadata& metadata_;
  char* text_end_;
  Error error_ = Error::Ok;
  Where where_ = Where::kDocument;
  const KeyRule* rule_ = nullptr; // of the key just read, null for an unknown one
  std::uint32_t root_seen_ = 0;
  std::uint32_t item_seen_ = 0;
  std::size_t depth_ = 0;
  std::size_t skip_depth_ = 0; // depth at which the value being skipped began, 0 for none
  MetadataBinding binding_;
  MetadataAlias alias_;
};

Place Handler::place() const {
  Place place;
  const char* key = rule_ != nullptr ? rule_->text.data() : "";
  if (where_ == Where::kBinding || where_ == Where::kShape) {
    std::snprintf(
        place.text,
        sizeof(place.text),
        "io_bindings[%zu].%s",
        metadata_.bindings.size(),
        where_ == Where::kShape ? "shape" : key);
  } else if (where_ == Where::kBindings) {
    std::snprintf(place.text, sizeof(place.text), "io_bindings[%zu]", metadata_.bindings.size());
  } else if (where_ == Where::kAliases) {
    std::snprintf(place.text, sizeof(place.text), "aliased_io[%zu]", metadata_.aliases.size());
  } else if (where_ == Where::kAlias) {
    std::snprintf(
        place.text, sizeof(place.text), "aliased_io[%zu].%s", metadata_.aliases.size(), key);
  } else {
    std::snprintf(
        place.text, sizeof(place.text), "%s", where_ == Where::kDocument ? "the document" : key);
  }
  return place;
}

bool Handler::accepts(Kind seen, std::string_view text) {
  Kind wanted = Kind::kObject; // the document, and the elements of both lists
  if (where_ == Where::kShape) {
    wanted = Kind::kNumber;
  } else if (rule_ != nullptr && !is_array()) {
    wanted = rule_->wanted;
  }
  if (seen == wanted) {
    return true;
  }
  return fail(
      message::metadata_type(
          place().text, kKindNames[static_cast<std::size_t>(wanted)], ShortText(text).text));
}

bool Handler::set_key(std::string_view text) {
  rule_ = nullptr;
  for (const KeyRule& rule : kKeyRules) {
    if (rule.where == where_ && rule.text == text) {
      rule_ = &rule;
    }
  }
  if (rule_ == nullptr) {
    return true;
  }
  std::uint32_t& seen = where_ == Where::kRoot ? root_seen_ : item_seen_;
  if ((seen & bit(rule_->key)) != 0) {
    return fail(message::metadata_key_twice(place().text));
  }
  seen |= bit(rule_->key);
  return true;
}

void Handler::set_flag(bool value) {
  (rule_->key == KeyId::kIsInput ? binding_.is_input : metadata_.hardware_compatible) = value;
}

bool Handler::set_number(std::string_view text) {
  if (!accepts(Kind::kNumber, text)) {
    return false;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_integer = error == std::errc() && end == text.data() + text.size();
  if (where_ == Where::kShape) {
    if (!is_integer) {
      return accepts(Kind::kNull, text); // never a match: reports the wanted integer
    }
    metadata_.shape_values.push(value);
    ++binding_.shape_count;
    return true;
  }
  if (!is_integer || value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    return fail(message::metadata_device_id(ShortText(text).text));
  }
  metadata_.device_id = static_cast<std::int32_t>(value);
  return true;
}

bool Handler::set_string(std::string_view text) {
  switch (rule_->key) {
    case KeyId::kName:
    case KeyId::kOutput:
    case KeyId::kInput:
      if (text.empty() || text.size() > kMaxNameBytes || text.find('\0') != text.npos) {
        return fail(message::metadata_name(place().text, kMaxNameBytes, text.size()));
      }
      (rule_->key == KeyId::kName         ? binding_.name
           : rule_->key == KeyId::kOutput ? alias_.output
                                          : alias_.input) = keep(text);
      return true;
    case KeyId::kDtype:
      binding_.dtype = keep(text);
      return true;
    case KeyId::kTargetPlatform:
      metadata_.target_platform = keep(text);
      return true;
    case KeyId::kAliasKind:
      return set_alias_kind(text);
    default:
      return true; // serialized_metadata: opaque
  }
}

bool Handler::set_alias_kind(std::string_view text) {
  if (text != "kv_cache_update" && text != "user") {
    return fail(message::metadata_alias_kind(metadata_.aliases.size(), ShortText(text).text));
  }
  alias_.kind = text == "user" ? AliasKind::kUser : AliasKind::kKvCacheUpdate;
  return true;
}

bool Handler::enter(Kind kind, std::string_view text) {
  if (depth_ == kMaxDepth) {
    return fail(message::metadata_depth(kMaxDepth));
  }
  if (is_skipped()) {
    ++depth_;
    skip_depth_ = skip_depth_ != 0 ? skip_depth_ : depth_;
    return true;
  }
  if (!accepts(kind, text)) {
    return false;
  }
  ++depth_;
  if (where_ == Where::kDocument) {
    where_ = Where::kRoot;
  } else if (where_ == Where::kRoot) {
    where_ = rule_->key == KeyId::kBindings ? Where::kBindings : Where::kAliases;
  } else if (where_ == Where::kBinding) {
    where_ = Where::kShape;
    binding_.shape_begin = metadata_.shape_values.size();
  } else {
    where_ = where_ == Where::kBindings ? Where::kBinding : Where::kAlias;
    item_seen_ = 0;
    binding_ = MetadataBinding();
    alias_ = MetadataAlias();
  }
  rule_ = nullptr;
  return true;
}

bool Handler::leave() {
  if (skip_depth_ != 0) {
    skip_depth_ = skip_depth_ == depth_ ? 0 : skip_depth_;
    --depth_;
    return true;
  }
  --depth_;
  rule_ = nullptr;
  switch (where_) {
    case Where::kShape:
      where_ = Where::kBinding;
      return true;
    case Where::kBinding:
      where_ = Where::kBindings;
      return finish_binding();
    case Where::kAlias:
      where_ = Where::kAliases;
      return finish_alias();
    default:
      where_ = Where::kRoot;
      return true;
  }
}

bool Handler::finish_binding() {
  for (const KeyId key : {KeyId::kName, KeyId::kIsInput}) {
    if ((item_seen_ & bit(key)) == 0) {
      return fail(
          message::metadata_missing(place().text, key == KeyId::kName ? "name" : "is_input"));
    }
  }
  metadata_.bindings.push(binding_);
  return true;
}

bool Handler::finish_alias() {
  for (const KeyId key : {KeyId::kOutput, KeyId::kInput}) {
    if ((item_seen_ & bit(key)) == 0) {
      return fail(
          message::metadata_missing(place().text, key == KeyId::kOutput ? "output" : "input"));
    }
  }
  metadata_.aliases.push(alias_);
  return true;
}

std::string_view Handler::keep(std::string_view text) {
  char* begin = text_end_;
  std::memcpy(begin, text.data(), text.size());
  begin[text.size()] = '\0';
  text_end_ = begin + text.size() + 1;
  return {begin, text.size()};
}

} // namespace

Error read_metadata_json(std::string_view json, Metadata& metadata) {
  constexpr unsigned kFlags =
      rapidjson::kParseValidateEncodingFlag | rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream stream(json.data(), json.size());
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, ThrowingAllocator> reader;
  Handler handler(metadata);
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (handler.error() != Error::Ok) {
    return handler.error();
  }
  if (result.IsError()) {
    // The handler stops without an error of its own at half a surrogate pair only.
    const auto code = result.Code() == rapidjson::kParseErrorTermination
        ? rapidjson::kParseErrorStringUnicodeSurrogateInvalid
        : result.Code();
    return message::metadata_json(result.Offset(), rapidjson::GetParseError_En(code));
  }
  // The reader takes a zero byte for the end of the text.
  return stream.Tell() == json.size() ? Error::Ok
                                      : message::metadata_json(stream.Tell(), "text after the end");
}

} // namespace executorch_backend_tensorrt
