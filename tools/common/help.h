// How --help looks: the kind of value without the checks behind it, lines that fit a terminal.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace trtet {

// For CLI::App::formatter(); sub-commands inherit it.
std::shared_ptr<CLI::FormatterBase> make_help_formatter();

// Lines longer than `width` are broken at spaces and go on at `indent`.
std::string wrap_lines(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace trtet
