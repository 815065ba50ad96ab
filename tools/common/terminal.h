// Standard streams: text for people, checked writes, colour only where a person looks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trtet {

// Opens /dev/null in place of a closed standard stream, so that no file opened later becomes stdout.
// Ignores SIGPIPE: a closed reader is then a failed write, reported like any other.
void secure_standard_streams();

// Writes all of `text` to stdout. Throws Failure when stdout is closed or full.
void print(std::string_view text);

// Writes one line to stderr; failures there have nowhere to go and are dropped.
void print_error(std::string_view line);

enum class Colour { kRed, kGreen, kYellow, kBold };

// `text` wrapped in an escape sequence when stdout is a terminal and NO_COLOR is unset; else as it is.
std::string coloured(std::string_view text, Colour colour);

// Rows of cells as left-aligned columns, two spaces between, two in front. Missing cells are empty.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

// "1,536 B", "1.5 KiB", ...
std::string readable_bytes(unsigned long long bytes);

// Control characters and invalid UTF-8 escaped, cut to `limit` bytes: text out of a file that may be hostile.
std::string printable(std::string_view text, std::size_t limit = 128);

}  // namespace trtet
