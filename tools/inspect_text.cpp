// The inspector's report for people.
#include "common/terminal.h"
#include "inspect_report.h"

namespace trtet {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string shape_text(const Json& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + shape[i].dump();
  return text + "]";
}

std::string indented(const std::string& text, std::size_t by) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    out.append(by, ' ').append(text, begin, end - begin + 1);
    begin = end + 1;
  }
  return out;
}

std::string string_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string values_text(const char* title, const Json& values) {
  Rows rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Json& value = values[i];
    std::vector<std::string> row = {std::to_string(i), string_of(value["name"])};
    if (row[1].empty()) row[1] = "-";
    if (value.contains("dtype")) {
      row.push_back(string_of(value["dtype"]) + shape_text(value["shape"]));
      row.push_back(value["dynamism"] == "static" ? "" : string_of(value["dynamism"]));
      row.push_back(string_of(value["device"]));
    } else {
      row.push_back(string_of(value["type"]));
    }
    rows.push_back(row);
  }
  return std::string("  ") + title + "\n" + (rows.empty() ? "    none\n" : indented(aligned(rows), 2));
}

std::string memory_text(const Json& memory) {
  Rows rows;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const long long size_bytes = memory[i]["size_bytes"].get<long long>();
    rows.push_back({std::to_string(i + 1),
                    size_bytes < 0 ? std::to_string(size_bytes) + " B"
                                   : readable_bytes(static_cast<unsigned long long>(size_bytes)),
                    string_of(memory[i]["device"])});
  }
  return "  planned memory\n" + (rows.empty() ? "    none\n" : indented(aligned(rows), 2));
}

std::string engine_text(const Json& engine) {
  const std::string size = readable_bytes(engine["size_bytes"].get<unsigned long long>());
  if (engine["tensorrt_version"].is_null()) return size + ", not a TensorRT plan";
  return size + ", built by TensorRT " + string_of(engine["tensorrt_version"]);
}

std::string bindings_text(const Json& blob) {
  Rows rows;
  for (const Json& binding : blob["bindings"]) {
    const std::string dtype = string_of(binding["dtype"]);
    rows.push_back({binding["is_input"] == true ? "input" : "output", string_of(binding["name"]),
                    (dtype.empty() ? "" : dtype + " ") + shape_text(binding["shape"])});
  }
  std::string text = "bindings\n" + (rows.empty() ? "  none: the engine's own, in its order\n" : aligned(rows));
  rows.clear();
  for (const Json& alias : blob["aliases"])
    rows.push_back({string_of(alias["output"]) + " in " + string_of(alias["input"]), string_of(alias["kind"])});
  return text + (rows.empty() ? "" : "aliases\n" + aligned(rows));
}

std::string blob_text(const Json& blob) {
  Rows rows;
  if (!blob.contains("engine")) return "header    " + string_of(blob["magic"]) + ", refused\n";
  rows.push_back({"header", string_of(blob["magic"]) + ", metadata " + blob["metadata_bytes"].dump() + " B at " +
                                blob["metadata_offset"].dump() + ", engine at " + blob["engine_offset"].dump()});
  rows.push_back({"engine", engine_text(blob["engine"])});
  if (!blob.contains("bindings")) return aligned(rows).substr(0) + "  metadata refused\n";
  const std::string platform = string_of(blob["target_platform"]);
  rows.push_back({"built for", "cuda:" + blob["device_id"].dump() + (platform.empty() ? "" : ", " + platform) +
                                   (blob["hardware_compatible"] == true ? ", hardware compatible" : "")});
  return aligned(rows) + indented(bindings_text(blob), 2);
}

std::string delegate_text(const Json& part, std::size_t index) {
  std::string text = "  delegate " + std::to_string(index) + "  " + coloured(string_of(part["backend"]), Colour::kBold);
  text +=
      part["data_bytes"].is_null() ? "\n" : ", " + readable_bytes(part["data_bytes"].get<unsigned long long>()) + "\n";
  if (part["backend"] == "TensorRTBackend") {
    Rows rows;
    for (const Json& spec : part["compile_specs"]) rows.push_back({string_of(spec["key"]), string_of(spec["value"])});
    text += indented(aligned(rows), 2);
  }
  if (part.contains("blob")) text += indented(blob_text(part["blob"]), 2);
  return text;
}

std::string method_text(const Json& method) {
  std::string text = "\n" + coloured(string_of(method["name"]), Colour::kBold) + "  " + method["instructions"].dump() +
                     " instructions\n";
  text += values_text("inputs", method["inputs"]) + values_text("outputs", method["outputs"]) +
          memory_text(method["memory"]);
  std::string operators;
  for (const Json& name : method["operators"]) operators += (operators.empty() ? "" : ", ") + string_of(name);
  if (!operators.empty()) text += "  operators\n    " + operators + "\n";
  for (std::size_t i = 0; i < method["delegates"].size(); ++i) text += delegate_text(method["delegates"][i], i);
  return text;
}

}  // namespace

std::string render_report(const Json& report) {
  const std::string kind = report["kind"];
  std::string text = string_of(report["file"]) + ": " + kind + ", " +
                     readable_bytes(report["size_bytes"].get<unsigned long long>()) + "\n";
  if (report.contains("methods"))
    for (const Json& method : report["methods"]) text += method_text(method);
  if (report.contains("blob")) text += blob_text(report["blob"]);
  if (report.contains("engine")) text += "  engine  " + engine_text(report["engine"]) + "\n";
  const Json& problems = report["problems"];
  if (problems.empty()) return text + "\n" + coloured("no problems found", Colour::kGreen) + "\n";
  text += "\n" +
          coloured(std::to_string(problems.size()) + (problems.size() == 1 ? " problem" : " problems"), Colour::kRed) +
          "\n";
  for (const Json& problem : problems)
    text += "  " + string_of(problem["where"]) + ": " + string_of(problem["what"]) + "\n";
  return text;
}

}  // namespace trtet
