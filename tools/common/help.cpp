#include "common/help.h"

#include <algorithm>

namespace trtet {
namespace {

constexpr std::size_t kDescriptionColumn = 30;
constexpr std::size_t kLineWidth = 100;

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kDescriptionColumn); }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string kind = option->get_type_name();  // "KIND:CHECK:CHECK"
    return " " + kind.substr(0, kind.find(':')) + (option->get_required() ? " (required)" : "");
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return wrap_lines(CLI::Formatter::make_help(app, name, mode), kLineWidth, kDescriptionColumn);
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_help_formatter() { return std::make_shared<HelpFormatter>(); }

std::string wrap_lines(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    // A break before the description's column would end an empty line.
    for (std::size_t at; line.size() > width && (at = line.rfind(' ', width)) != std::string::npos && at > indent;) {
      out += line.substr(0, at) + "\n";
      line = std::string(indent, ' ') + line.substr(at + 1);
    }
    out += line + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace trtet
