#include "readers/metadata/config_json.h"

#include <gtest/gtest.h>

namespace tanggul::readers {
namespace {

TEST(ConfigJson, ReadsWhatItSaysOfAModel) {
  const auto read = read_config_json(R"({
  "_name_or_path": "org/base", "architectures": ["LlamaForCausalLM"], "model_type": "llama",
  "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 32000, "torch_dtype": "bfloat16",
  "transformers_version": "4.40.0", "eps": NaN, "id2label": {"0": "a"}})");
  EXPECT_TRUE(read.defects.empty() && !read.error);
  const Model model{.architectures = {"LlamaForCausalLM"},
                    .model_type = "llama",
                    .torch_dtype = "bfloat16",
                    .transformers_version = "4.40.0",
                    .name_or_path = "org/base",
                    .hidden_size = 4096,
                    .num_hidden_layers = 32,
                    .vocab_size = 32000};
  EXPECT_EQ(read.model, model);
}

TEST(ConfigJson, KnowsEachSpelling) {
  for (const char* key : {"hidden_size", "d_model", "n_embd"}) {
    EXPECT_EQ(read_config_json("{\"" + std::string(key) + "\": 7}").model->hidden_size, 7) << key;
  }
  for (const char* key : {"num_hidden_layers", "n_layer", "num_layers"}) {
    EXPECT_EQ(read_config_json("{\"" + std::string(key) + "\": 7}").model->num_hidden_layers, 7);
  }
  EXPECT_EQ(read_config_json(R"({"dtype": "float16"})").model->torch_dtype, "float16");
  EXPECT_EQ(read_config_json(R"({"_class_name": "UNet2DConditionModel"})").model->class_name,
            "UNet2DConditionModel");
  EXPECT_EQ(read_config_json(R"({"architectures": "A"})").model->architectures,
            std::vector<std::string>{"A"});
}

TEST(ConfigJson, FallsBackOnTheTextConfig) {
  const auto model = read_config_json(R"({"model_type": "gemma3", "hidden_size": null,
    "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "vocab_size": 9}})")
                         .model;
  EXPECT_EQ(model->model_type, "gemma3");
  EXPECT_EQ(model->hidden_size, 2560);
  EXPECT_EQ(model->vocab_size, 9);
}

TEST(ConfigJson, OddValuesAreNotTaken) {
  const auto model = read_config_json(R"({"vocab_size": 1, "vocab_size": 2, "hidden_size": [1, 2],
    "num_layers": 1.5, "architectures": [null, {}], "n_layer": "12"})")
                         .model;
  EXPECT_EQ(model->vocab_size, 2);
  EXPECT_EQ(model->hidden_size, std::nullopt);
  EXPECT_EQ(model->num_hidden_layers, 12);
  EXPECT_TRUE(model->architectures.empty());
}

TEST(ConfigJson, OfAnotherProgramHasNoModel) {
  EXPECT_FALSE(read_config_json(R"({"port": 80, "name": "x"})").model);
  EXPECT_FALSE(read_config_json("{}").model);
  EXPECT_EQ(read_config_json("[]").defects.size(), 1U);
}

}  // namespace
}  // namespace tanggul::readers
