#include "common/npy.h"

#include <cstring>
#include <limits>
#include <map>

#include "common/failure.h"
#include "common/file.h"
#include "common/terminal.h"

namespace trtet {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicSize = 6;
constexpr std::size_t kHeaderLimitBytes = 64 * 1024;

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw Failure(path + ": " + why); }

// The header is a Python dict literal with three keys; values are kept as their source text.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  std::map<std::string, std::string> parse() {
    std::map<std::string, std::string> values;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (!values.emplace(key, value()).second) fail("key '" + printable(key) + "' stands twice");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("text follows the header's dict");
    if (values.size() != 3 || values.count("descr") + values.count("fortran_order") + values.count("shape") != 3)
      fail("the header must hold descr, fortran_order and shape");
    return values;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { refuse(path_, "not a readable .npy header: " + why); }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "' expected at byte " + std::to_string(at_));
  }
  std::string quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail("a quoted string expected at byte " + std::to_string(at_));
    const std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }
  std::string value() {
    skip_space();
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) return quoted();
    const bool is_tuple = at_ < text_.size() && text_[at_] == '(';
    const std::size_t end = is_tuple ? text_.find(')', at_) : text_.find_first_of(",} ", at_);
    if (end == std::string_view::npos) fail("a value does not end");
    const std::size_t stop = is_tuple ? end + 1 : end;
    const std::string out(text_.substr(at_, stop - at_));
    at_ = stop;
    return out;
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<std::int32_t> parse_shape(const std::string& path, const std::string& text) {
  std::vector<std::int32_t> sizes;
  if (text.size() < 2 || text.front() != '(') refuse(path, "shape is not a tuple: " + printable(text));
  std::int64_t value = -1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      value = (value < 0 ? 0 : value) * 10 + (c - '0');
      if (value > std::numeric_limits<std::int32_t>::max())
        refuse(path, "a size passes 2147483647: " + printable(text));
    } else if (c == ',' || c == ')') {
      if (value >= 0)
        sizes.push_back(static_cast<std::int32_t>(value));
      else if (c == ',')
        refuse(path, "shape is not readable: " + printable(text));
      value = -1;
    } else if (c != ' ' && c != 'L') {
      refuse(path, "shape is not readable: " + printable(text));
    }
  }
  return sizes;
}

// Header text and where the data starts.
std::string_view split_header(const std::string& path, const std::vector<std::uint8_t>& bytes,
                              std::size_t& data_offset) {
  if (bytes.size() < kMagicSize + 4 || std::memcmp(bytes.data(), kMagic, kMagicSize) != 0)
    refuse(path, "not an .npy file (it does not start with \\x93NUMPY)");
  const int major = bytes[kMagicSize];
  if (major < 1 || major > 3) refuse(path, ".npy version " + std::to_string(major) + "; readable: 1, 2, 3");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = kMagicSize + 2 + length_bytes;
  std::size_t length = 0;
  if (bytes.size() < start) refuse(path, "cut short inside the header");
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{bytes[kMagicSize + 2 + i]} << (8 * i);
  if (length > kHeaderLimitBytes || length > bytes.size() - start) refuse(path, "cut short inside the header");
  data_offset = start + length;
  return {reinterpret_cast<const char*>(bytes.data()) + start, length};
}

}  // namespace

Array read_npy(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::size_t data_offset = 0;
  const auto values = HeaderParser(path, split_header(path, bytes, data_offset)).parse();
  const std::string& descr = values.at("descr");
  const DtypeInfo* dtype = find_dtype_by_descr(descr);
  if (dtype == nullptr) {
    const bool is_swapped = !descr.empty() && descr[0] == '>';
    refuse(path,
           "dtype '" + printable(descr) + "' cannot be used" +
               (is_swapped ? "; save it little-endian" : "; allowed: bool, (u)int8-32, int64, float16/32/64, V2"));
  }
  Array array{dtype->type, parse_shape(path, values.at("shape")), {}};
  const bool has_order = array.sizes.size() > 1;
  if (values.at("fortran_order") != "False" && (has_order || values.at("fortran_order") != "True"))
    refuse(path, "saved in Fortran order; save numpy.ascontiguousarray(array) instead");
  std::size_t wanted = 0;
  if (__builtin_mul_overflow(array.count(), dtype->size_bytes, &wanted) || wanted != bytes.size() - data_offset)
    refuse(path, "holds " + std::to_string(bytes.size() - data_offset) + " bytes of data, " +
                     describe(array.dtype, array.sizes) + " needs " + std::to_string(wanted));
  array.bytes.assign(bytes.begin() + static_cast<std::ptrdiff_t>(data_offset), bytes.end());
  return array;
}

void write_npy(const std::string& path, const Array& array) {
  std::string shape = "(";
  for (const std::int32_t size : array.sizes) shape += std::to_string(size) + ", ";
  if (array.sizes.size() > 1) shape.resize(shape.size() - 2);
  if (array.sizes.size() == 1) shape.resize(shape.size() - 1);
  std::string header = std::string("{'descr': '") + find_dtype(array.dtype)->npy_descr +
                       "', 'fortran_order': False, 'shape': " + shape + "), }";
  // Data starts at a multiple of 64, and the header ends in a newline.
  const std::size_t prefix = kMagicSize + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string out(kMagic, kMagicSize);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  write_file(path, out);
}

}  // namespace trtet
