// The JSON description inside a plan. Used by the writer and the reader only.
#ifndef STANDINS_PLAN_DESCRIPTION_H_
#define STANDINS_PLAN_DESCRIPTION_H_

#include "standins/plan.h"

#include <nlohmann/json.hpp>

namespace standins {

// Every key is always written, so that equal plans have equal bytes in C++ and Python.
nlohmann::json describe(const Plan& plan);
// Throws PlanError. Payload offsets stay relative to the payload.
Plan parse_description(const nlohmann::json& description);

// Fills derived profiles and checks tensors, profiles and nodes against each other.
void complete_and_check(Plan& plan);

}  // namespace standins

#endif  // STANDINS_PLAN_DESCRIPTION_H_
