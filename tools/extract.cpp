// trtet extract: the engine and the metadata out of a program's blob, or of a blob by itself.
#include <memory>

#include "blob.h"
#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/file.h"
#include "common/json.h"
#include "common/terminal.h"
#include "executorch_backend_tensorrt/options.h"
#include "metadata.h"
#include "pte_reader.h"

namespace trtet {
namespace {

struct ExtractArguments {
  std::string file;
  std::string method;
  std::optional<std::size_t> part;
  std::string engine, metadata, blob;
  bool wants_json = false;
};

struct Found {
  std::string_view blob;
  std::string place;
};

std::vector<Found> find_blobs(std::string_view bytes, const ExtractArguments& arguments) {
  if (!looks_like_program(bytes)) return {{bytes, "blob"}};
  std::vector<Found> found;
  const PteFile file = read_pte(bytes);
  bool has_method = arguments.method.empty();
  for (const PteMethod& method : file.methods) {
    if (!arguments.method.empty() && method.name != arguments.method) continue;
    has_method = true;
    for (std::size_t i = 0; i < method.delegates.size(); ++i)
      if (method.delegates[i].backend == executorch_backend_tensorrt::kBackendName && method.delegates[i].blob)
        found.push_back({*method.delegates[i].blob, printable(method.name) + ": delegate " + std::to_string(i)});
  }
  if (!has_method) throw UsageError("--method: the program has no method '" + arguments.method + "'");
  if (found.empty() && !file.findings.empty())
    throw Failure(arguments.file + ": " + file.findings[0].where + ": " + file.findings[0].what);
  if (found.empty())
    throw Failure(arguments.file + ": no delegate of TensorRTBackend in it; trtet inspect shows what there is");
  return found;
}

const Found& choose(const std::vector<Found>& found, const ExtractArguments& arguments) {
  if (arguments.part) {
    if (*arguments.part >= found.size())
      throw UsageError("--delegate " + std::to_string(*arguments.part) + ": there are " + std::to_string(found.size()) +
                       " TensorRT delegates, counted from 0");
    return found[*arguments.part];
  }
  if (found.size() == 1) return found[0];
  std::string list;
  for (std::size_t i = 0; i < found.size(); ++i) list += "\n  " + std::to_string(i) + "  " + found[i].place;
  throw UsageError("--delegate is needed, there are " + std::to_string(found.size()) + " TensorRT delegates:" + list);
}

// Laid out for people to read and edit; `pack` takes it back.
std::string readable_metadata(std::string_view text) {
  const auto checked = executorch_backend_tensorrt::parse_metadata(text);
  if (!checked.ok())
    throw Failure("the blob's metadata is refused (the line above says why); trtet inspect lists everything");
  return json_text(Json::parse(text.begin(), text.end()));
}

int extract(const ExtractArguments& arguments) {
  if (arguments.engine.empty() && arguments.metadata.empty() && arguments.blob.empty())
    throw UsageError("extract: say what to write: --engine, --metadata or --blob");
  const MappedFile file(arguments.file);
  const std::vector<Found> found = find_blobs({reinterpret_cast<const char*>(file.data()), file.size()}, arguments);
  const Found& chosen = choose(found, arguments);
  const auto parts = executorch_backend_tensorrt::parse_blob(
      {reinterpret_cast<const std::uint8_t*>(chosen.blob.data()), chosen.blob.size()});
  if (!parts.ok())
    throw Failure(arguments.file + ": " + chosen.place + ": the blob is refused (the line above says why)");
  const std::string_view engine(reinterpret_cast<const char*>(parts->engine.data()), parts->engine.size());
  const std::string metadata = arguments.metadata.empty() ? "" : readable_metadata(parts->metadata);
  std::vector<std::vector<std::string>> rows;
  Json written = Json::object();
  const auto write = [&](const char* what, const std::string& path, std::string_view bytes) {
    if (path.empty()) return;
    write_file(path, bytes);
    rows.push_back({what, path, readable_bytes(bytes.size())});
    written[what] = {{"file", path}, {"size_bytes", bytes.size()}};
  };
  write("engine", arguments.engine, engine);
  write("metadata", arguments.metadata, metadata);
  write("blob", arguments.blob, chosen.blob);
  if (arguments.wants_json)
    print(json_text({{"file", arguments.file}, {"place", chosen.place}, {"written", written}}));
  else
    print(arguments.file + ": " + chosen.place + "\n" + aligned(rows));
  return kExitOk;
}

}  // namespace

void add_extract(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ExtractArguments>();
  CLI::App& command = *app.add_subcommand("extract", "Write a blob's engine and metadata to files");
  command.footer(
      "Examples:\n"
      "  trtet extract model.pte --engine model.plan --metadata model.json\n"
      "  trtet extract model.pte --delegate 1 --blob part.blob");
  command.add_option("file", arguments->file, "A .pte program or a TensorRT blob")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command.add_option("--method", arguments->method, "Look in this method only")->type_name("NAME");
  command
      .add_option("--delegate", arguments->part,
                  "Which TensorRT delegate, counted from 0; needed when there are several")
      ->check(natural_number(1000000))
      ->type_name("N");
  command.add_option("--engine", arguments->engine, "Write the engine, a TensorRT plan")->type_name("FILE");
  command.add_option("--metadata", arguments->metadata, "Write the metadata as JSON that pack takes back")
      ->type_name("FILE");
  command.add_option("--blob", arguments->blob, "Write the whole blob as it is")->type_name("FILE");
  add_single_flag(command, "--json", arguments->wants_json, "Print one JSON object instead of text");
  command.callback([arguments, &action] { action = [arguments] { return extract(*arguments); }; });
}

}  // namespace trtet
