"""Plans for the TensorRT stand-in, byte for byte those of standins/plan.h; needs only the standard library."""

from standin_plan.plan import DTYPES, Plan, PlanError, Profile, Tensor, serialization_tag

__all__ = ["DTYPES", "Plan", "PlanError", "Profile", "Tensor", "serialization_tag"]
