#include "metadata.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/message.h"
#include "metadata_handler.h"

namespace executorch_backend_tensorrt {

using executorch::runtime::Error;
using executorch::runtime::Result;

namespace {

// Orders by direction, then name, so that equal ones become neighbours.
bool is_before(const MetadataBinding& a, const MetadataBinding& b) {
  return a.is_input != b.is_input ? a.is_input : a.name < b.name;
}

using Order = List<const MetadataBinding*>;

Order sort_bindings(const List<MetadataBinding>& bindings) {
  Order order;
  order.reserve(bindings.size());
  for (const MetadataBinding& binding : bindings) {
    order.push(&binding);
  }
  std::sort(
      order.begin(), order.end(), [](const auto* a, const auto* b) { return is_before(*a, *b); });
  return order;
}

Error check_no_duplicate_binding(const Order& order) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i]->is_input == order[i - 1]->is_input && order[i]->name == order[i - 1]->name) {
      return message::metadata_binding_twice(
          order[i]->is_input ? "input" : "output", order[i]->name.data());
    }
  }
  return Error::Ok;
}

bool has_binding(const Order& order, std::string_view name, bool is_input) {
  MetadataBinding wanted;
  wanted.name = name;
  wanted.is_input = is_input;
  return std::binary_search(order.begin(), order.end(), &wanted, [](const auto* a, const auto* b) {
    return is_before(*a, *b);
  });
}

Error check_aliases(const List<MetadataAlias>& aliases, const Order& order) {
  List<std::string_view> outputs;
  outputs.reserve(aliases.size());
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    const MetadataAlias& alias = aliases[i];
    if (!order.empty() && !has_binding(order, alias.output, false)) {
      return message::metadata_alias_unknown(i, "output", alias.output.data());
    }
    if (!order.empty() && !has_binding(order, alias.input, true)) {
      return message::metadata_alias_unknown(i, "input", alias.input.data());
    }
    outputs.push(alias.output);
  }
  std::sort(outputs.begin(), outputs.end());
  const auto* twice = std::adjacent_find(outputs.begin(), outputs.end());
  return twice == outputs.end() ? Error::Ok : message::metadata_alias_twice(twice->data());
}

} // namespace

Result<Metadata> parse_metadata(std::string_view json) {
  Metadata metadata;
  // Decoding never lengthens a string, and its two quotes leave room for the terminating zero.
  metadata.text.reset(static_cast<char*>(std::malloc(json.size() + 1)));
  if (metadata.text == nullptr) {
    throw std::bad_alloc();
  }
  Error error = read_metadata_json(json, metadata);
  if (error != Error::Ok) {
    return error;
  }
  const Order order = sort_bindings(metadata.bindings);
  error = check_no_duplicate_binding(order);
  if (error == Error::Ok) {
    error = check_aliases(metadata.aliases, order);
  }
  if (error != Error::Ok) {
    return error;
  }
  return metadata;
}

} // namespace executorch_backend_tensorrt
