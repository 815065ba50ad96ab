// Ctrl-C as a flag: long work stops at the next run, prints what it has, and exits with 130.
#pragma once

namespace trtet {

// From now on the first SIGINT (or SIGTERM) sets the flag; a second one ends the process at once.
void watch_for_interrupt();

bool is_interrupted();

}  // namespace trtet
