// A plan's OpenVINO model, run by a library of its own (libstandin_openvino.so, beside this one)
// that is loaded with the first such plan, so that other plans need no OpenVINO.
#ifndef STANDINS_NVINFER_MODEL_LINK_H_
#define STANDINS_NVINFER_MODEL_LINK_H_

#include <memory>
#include <string>
#include <vector>

#include "model_api.h"
#include "program.h"

namespace standins {

// Thread-safe. Requests are made one for each context and are not.
class Model {
 public:
  // Throws PlanError: no such library, or a model that does not fit the plan.
  static std::unique_ptr<Model> load(const Plan& plan, const void* blob);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // `shapes` holds the plan's tensors in order. False with a problem.
  bool infer(std::vector<Dims>& shapes, std::string& problem) const;

  class Request {
   public:
    explicit Request(const Model& model);
    ~Request();
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    // Host views of the plan's tensors, in order. "" or what went wrong.
    std::string run(const std::vector<void*>& host, const std::vector<Dims>& shapes);

   private:
    const Model& model_;
    void* handle_;
  };

 private:
  Model(const StandinModelApi* api, void* handle, std::size_t tensors)
      : api_(api), handle_(handle), tensors_(tensors) {}
  const StandinModelApi* api_;
  void* handle_;
  std::size_t tensors_;
};

}  // namespace standins

#endif  // STANDINS_NVINFER_MODEL_LINK_H_
