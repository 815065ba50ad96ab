#include "metadata_probe.h"

#include <algorithm>
#include <set>

#include "common/json.h"
#include "common/log.h"
#include "metadata.h"

namespace trtet {
namespace {

constexpr std::size_t kMaxFindings = 32;
constexpr std::size_t kMaxProbedBytes = std::size_t{4} << 20;
constexpr int kMaxDepth = 64;  // what lies deeper is left out: copying it would recurse as deep

// The document as parts that can be left out or replaced: root entries, bindings, aliases, in this order.
struct Parts {
  std::vector<std::pair<std::string, Json>> root;
  std::vector<Json> bindings;
  std::vector<Json> aliases;

  std::size_t count() const { return root.size() + bindings.size() + aliases.size(); }
};

Parts take_apart(const Json& document) {
  Parts parts;
  for (const auto& [key, value] : document.items()) {
    if (key == "io_bindings" && value.is_array())
      parts.bindings.assign(value.begin(), value.end());
    else if (key == "aliased_io" && value.is_array())
      parts.aliases.assign(value.begin(), value.end());
    else
      parts.root.emplace_back(key, value);
  }
  return parts;
}

// A document of the first `count` parts.
std::string put_together(const Parts& parts, std::size_t count, const std::vector<Json>& extra_bindings) {
  Json document = Json::object();
  const std::size_t root_count = std::min(count, parts.root.size());
  for (std::size_t i = 0; i < root_count; ++i)
    if (!parts.root[i].first.empty()) document[parts.root[i].first] = parts.root[i].second;
  count -= root_count;
  const std::size_t binding_count = std::min(count, parts.bindings.size());
  const std::size_t alias_count = std::min(count - binding_count, parts.aliases.size());
  const auto at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
  Json bindings(std::vector<Json>(parts.bindings.begin(), parts.bindings.begin() + at(binding_count)));
  for (const Json& extra : extra_bindings) bindings.push_back(extra);
  if (!parts.bindings.empty()) document["io_bindings"] = bindings;
  document["aliased_io"] = Json(std::vector<Json>(parts.aliases.begin(), parts.aliases.begin() + at(alias_count)));
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json binding(const std::string& name, bool is_input) { return {{"name", name}, {"is_input", is_input}}; }

class Prober {
 public:
  Prober(Parts parts, ProbeBudget& budget) : parts_(std::move(parts)), budget_(budget) {}

  std::vector<std::string> run(const std::vector<std::string>& first) {
    std::vector<std::string> found(first);
    std::set<std::string> seen(first.begin(), first.end());
    while (found.size() < kMaxFindings && budget_.bytes_left > 0) {
      std::string complaint;
      const std::size_t shortest = shortest_refused(complaint);
      if (shortest == 0) break;
      if (seen.insert(complaint).second) found.push_back(complaint);
      replace(shortest - 1);
    }
    return found;
  }

 private:
  // Empty when the delegate takes the first `count` parts.
  std::string ask(std::size_t count) {
    const std::string text = put_together(parts_, count, extra_bindings_);
    if (text.size() > budget_.bytes_left) {
      budget_.bytes_left = 0;
      return "";
    }
    budget_.bytes_left -= text.size();
    LogCapture log;
    if (executorch_backend_tensorrt::parse_metadata(text).ok()) return "";
    const auto messages = log.take();
    return messages.empty() ? "the metadata is refused" : messages.front();
  }

  // How many parts it takes for a refusal, 0 when all together are taken. More parts never mend a refusal.
  std::size_t shortest_refused(std::string& complaint) {
    complaint = ask(parts_.count());
    if (complaint.empty()) return 0;
    std::size_t taken = 0, refused = parts_.count();
    while (refused - taken > 1) {
      const std::size_t middle = taken + (refused - taken) / 2;
      const std::string heard = ask(middle);
      if (heard.empty()) {
        taken = middle;
      } else {
        refused = middle;
        complaint = heard;
      }
    }
    return refused;
  }

  // Puts something sound in a part's place, so that the numbers in later complaints stay right.
  void replace(std::size_t part) {
    const std::string filler = "(refused part " + std::to_string(part) + ")";
    if (part < parts_.root.size()) {
      parts_.root[part].first.clear();
    } else if (part < parts_.root.size() + parts_.bindings.size()) {
      Json& place = parts_.bindings[part - parts_.root.size()];
      keep_name(place);
      place = binding(filler, false);
    } else {
      parts_.aliases[part - parts_.root.size() - parts_.bindings.size()] = {{"output", filler}, {"input", filler}};
      extra_bindings_.push_back(binding(filler, false));
      extra_bindings_.push_back(binding(filler, true));
    }
  }

  // An alias may name the refused binding; that is no second fault.
  void keep_name(const Json& refused) {
    if (!refused.is_object() || !refused.contains("name") || !refused["name"].is_string()) return;
    const std::string name = refused["name"];
    if (name.empty() || name.size() > executorch_backend_tensorrt::kMaxNameBytes ||
        name.find('\0') != std::string::npos)
      return;
    for (const bool is_input : {true, false})
      if (!has_binding(name, is_input)) extra_bindings_.push_back(binding(name, is_input));
  }

  bool has_binding(const std::string& name, bool is_input) const {
    const auto same = [&](const Json& other) {
      return other.is_object() && other.contains("name") && other["name"] == name && other.contains("is_input") &&
             other["is_input"] == is_input;
    };
    return std::any_of(parts_.bindings.begin(), parts_.bindings.end(), same) ||
           std::any_of(extra_bindings_.begin(), extra_bindings_.end(), same);
  }

  Parts parts_;
  ProbeBudget& budget_;
  std::vector<Json> extra_bindings_;  // after the document's own
};

}  // namespace

std::vector<std::string> find_metadata_problems(std::string_view json, const std::vector<std::string>& first,
                                                ProbeBudget& budget) {
  if (json.size() > std::min(kMaxProbedBytes, budget.bytes_left)) return first;
  budget.bytes_left -= json.size();
  const auto is_kept = [](int depth, Json::parse_event_t, const Json&) { return depth <= kMaxDepth; };
  const Json document = Json::parse(json.begin(), json.end(), is_kept, false);
  if (!document.is_object()) return first;
  return Prober(take_apart(document), budget).run(first);
}

}  // namespace trtet
