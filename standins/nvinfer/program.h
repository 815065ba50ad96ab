// A plan's network, resolved: values by number, operations checked, shapes inferred.
#ifndef STANDINS_NVINFER_PROGRAM_H_
#define STANDINS_NVINFER_PROGRAM_H_

#include <string>
#include <vector>

#include "NvInferRuntime.h"
#include "standins/plan.h"
#include "step.h"

namespace standins {

using nvinfer1::Dims;

struct ProgramNode {
  Op op;
  std::vector<int> inputs;  // value numbers
  int output;
  std::vector<int64_t> attributes;
};

// Values: the plan's tensors in order, then constants, then intermediate values.
struct ProgramValue {
  std::string name;
  DType dtype = DType::kFloat32;
  Dims shape{};  // tensors and constants; -1 where dynamic
};

class Program {
 public:
  // Throws PlanError: an unknown operation, wrong arity or dtypes that do not go together.
  explicit Program(const Plan& plan);

  const std::vector<ProgramValue>& values() const { return values_; }
  const std::vector<ProgramNode>& nodes() const { return nodes_; }
  int first_constant() const { return first_constant_; }
  int first_intermediate() const { return first_intermediate_; }

  // Shapes of all values from those of the inputs, in place; `host_values` has an array for each
  // shape tensor. False with a problem when the inputs do not go together. Allocates only then.
  bool infer(std::vector<Dims>& shapes, const std::vector<const int64_t*>& host_values,
             std::string& problem) const;

 private:
  bool infer_node(const ProgramNode& node, std::vector<Dims>& shapes,
                  const std::vector<const int64_t*>& host_values, std::string& problem) const;

  std::vector<ProgramValue> values_;
  std::vector<ProgramNode> nodes_;
  int first_constant_ = 0;
  int first_intermediate_ = 0;
};

Dims to_dims(const Shape& shape);
std::string to_text(const Dims& dims);
// Elements; dynamic extents count as 0.
int64_t volume(const Dims& dims);
bool equal(const Dims& a, const Dims& b);
uint64_t bytes_of(DType dtype, const Dims& dims);

// The steps of one node: one, or two when a cache is first copied. Returns how many.
int build_steps(const ProgramNode& node, const Program& program, const std::vector<Dims>& shapes,
                const std::vector<void*>& addresses, Step (&steps)[2]);

}  // namespace standins

#endif  // STANDINS_NVINFER_PROGRAM_H_
