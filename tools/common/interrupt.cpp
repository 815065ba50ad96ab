#include "common/interrupt.h"

#include <csignal>

namespace trtet {
namespace {

volatile std::sig_atomic_t g_is_interrupted = 0;

void note_interrupt(int) { g_is_interrupted = 1; }

}  // namespace

void watch_for_interrupt() {
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool is_interrupted() { return g_is_interrupted != 0; }

}  // namespace trtet
