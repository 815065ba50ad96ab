// trtet pack: a delegate blob from an engine file and a JSON description.
#include <algorithm>
#include <memory>

#include "blob.h"
#include "blob_writer.h"
#include "commands.h"
#include "common/arguments.h"
#include "common/failure.h"
#include "common/file.h"
#include "common/json.h"
#include "common/terminal.h"
#include "metadata.h"

namespace trtet {
namespace {

struct PackArguments {
  std::string engine, description, output;
  bool wants_json = false;
};

// A known key in the wrong place or spelling would silently change the blob, so unknown ones are refused here,
// though the delegate skips them.
void check_keys(const Json& object, std::initializer_list<const char*> known, const std::string& place) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      std::string list;
      for (const char* name : known) list += (list.empty() ? "" : ", ") + std::string(name);
      throw Failure(place + ": key '" + printable(key) + "' is unknown; known: " + list);
    }
}

// Types were checked by the delegate's reader before, so that get() cannot fail but for what it leaves open.
BlobDescription read_description(const Json& root, const std::string& path) {
  check_keys(
      root, {"io_bindings", "aliased_io", "hardware_compatible", "device_id", "serialized_metadata", "target_platform"},
      path);
  BlobDescription description;
  for (const Json& item : root.value("io_bindings", Json::array())) {
    check_keys(item, {"name", "dtype", "shape", "is_input"}, path + ": io_bindings");
    description.bindings.push_back({item.at("name"), item.value("dtype", ""),
                                    item.value("shape", std::vector<std::int64_t>()), item.at("is_input")});
  }
  for (const Json& item : root.value("aliased_io", Json::array())) {
    check_keys(item, {"output", "input", "kind"}, path + ": aliased_io");
    description.aliases.push_back({item.at("output"), item.at("input"), item.value("kind", "kv_cache_update")});
  }
  description.hardware_compatible = root.value("hardware_compatible", false);
  description.device_id = root.value("device_id", std::int64_t{0});
  description.serialized_metadata = root.value("serialized_metadata", "");
  description.target_platform = root.value("target_platform", "");
  return description;
}

int pack(const PackArguments& arguments) {
  const MappedFile engine(arguments.engine);
  const std::vector<std::uint8_t> text = read_file(arguments.description);
  const std::string_view description_text(reinterpret_cast<const char*>(text.data()), text.size());
  if (engine.size() == 0) throw Failure(arguments.engine + ": an engine of 0 bytes is none");
  if (!executorch_backend_tensorrt::parse_metadata(description_text).ok())
    throw Failure(arguments.description + ": the delegate would refuse this description (the line above says why)");
  BlobDescription description;
  try {
    description = read_description(Json::parse(text.begin(), text.end()), arguments.description);
  } catch (const Json::exception& error) {
    throw Failure(arguments.description + ": " + error.what());
  }
  const std::string blob = write_blob(description, {reinterpret_cast<const char*>(engine.data()), engine.size()});
  write_file(arguments.output, blob);
  if (arguments.wants_json)
    print(json_text({{"blob", arguments.output},
                     {"size_bytes", blob.size()},
                     {"magic", blob.substr(0, 4)},
                     {"bindings", description.bindings.size()},
                     {"aliases", description.aliases.size()}}));
  else
    print(arguments.output + ": " + blob.substr(0, 4) + ", " + readable_bytes(blob.size()) + ", " +
          std::to_string(description.bindings.size()) + " bindings, " + std::to_string(description.aliases.size()) +
          " aliases\n");
  return kExitOk;
}

}  // namespace

void add_pack(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PackArguments>();
  CLI::App& command = *app.add_subcommand("pack", "Write a delegate blob from an engine and a JSON description");
  command.footer(
      "The description has the keys of a blob's metadata; trtet extract --metadata writes one.\n"
      "Example:\n"
      "  trtet pack --engine model.plan --description model.json --output model.blob");
  command.add_option("--engine", arguments->engine, "The engine, a TensorRT plan")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command.add_option("--description", arguments->description, "JSON: io_bindings, aliased_io, device_id, ...")
      ->required()
      ->check(CLI::ExistingFile)
      ->type_name("FILE.json");
  command.add_option("--output", arguments->output, "The blob to write")->required()->type_name("FILE");
  add_single_flag(command, "--json", arguments->wants_json, "Print one JSON object instead of text");
  command.callback([arguments, &action] { action = [arguments] { return pack(*arguments); }; });
}

}  // namespace trtet
