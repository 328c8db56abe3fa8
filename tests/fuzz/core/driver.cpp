// Runs a target where there is no libFuzzer: reads its corpus, then damages what stands there, for some seconds.
//
//     fuzz_TARGET CORPUS SECONDS FINDS
//
// CORPUS is a bundle, as tests/fuzz/corpora has them: the length of an input in four bytes, the input, and so on. An
// input that ends the program is written to FINDS. Inputs are damaged in the same way every time.
#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "input.hpp"

namespace {

std::string tried;  // the input of the moment
const char* finds = nullptr;

void write_find() {
  std::ofstream(finds, std::ios::binary) << tried;
  std::fprintf(stderr, "the input was written to %s\n", finds);
}

std::vector<std::string> inputs_in(const char* bundle) {
  std::ifstream file(bundle, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> inputs{""};
  fuzz::Input rest(reinterpret_cast<const std::uint8_t*>(all.data()), all.size());
  while (rest.left() > 0) inputs.emplace_back(rest.take(rest.number<std::uint32_t>()));
  return inputs;
}

class Damage {
 public:
  std::string operator()(const std::vector<std::string>& inputs) {
    std::string input = inputs[below(inputs.size())];
    for (std::size_t left = 1 + below(4); left > 0; --left) once(input, inputs[below(inputs.size())]);
    input.resize(std::min<std::size_t>(input.size(), 4096));
    return input;
  }

 private:
  std::size_t below(std::size_t count) { return count == 0 ? 0 : dice_() % count; }

  void once(std::string& input, const std::string& other) {
    static constexpr std::string_view kPieces[] = {
        "\n", "\r\n", " ", "\t", ",", "\"", "#", "\xef\xbb\xbf", "nan", "-1e999", "9007199254740993", "0", "."};
    const std::size_t at = below(input.size() + 1), size = std::min(1 + below(16), input.size() - at);
    switch (below(7)) {
      case 0:
        if (size > 0) input[at] = static_cast<char>(dice_());
        break;
      case 1:
        if (size > 0) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 2: input.erase(at, size); break;
      case 3: input.insert(at, input.substr(below(input.size() + 1), 1 + below(32))); break;
      case 4: input.insert(at, other.substr(below(other.size() + 1), 1 + below(64))); break;
      case 5: input.insert(at, kPieces[below(std::size(kPieces))]); break;
      default: input.replace(at, size, size, "\0\xff\x80\x7f"[below(4)]); break;
    }
  }

  std::mt19937_64 dice_{1};
};

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: %s CORPUS SECONDS FINDS\n", words[0]);
    return 2;
  }
  finds = words[3];
  __sanitizer_set_death_callback(write_find);
  std::signal(SIGABRT, [](int) {
    write_find();
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  });
  const std::vector<std::string> inputs = inputs_in(words[1]);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(words[2]));
  std::size_t executions = 0;
  const auto run = [&](std::string input) {
    tried = std::move(input);
    // Its bytes end where the memory ends.
    const std::vector<std::uint8_t> bytes(tried.begin(), tried.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    ++executions;
  };
  for (const std::string& input : inputs) run(input);
  Damage damage;
  while (std::chrono::steady_clock::now() < end) run(damage(inputs));
  std::printf("stat::number_of_executed_units: %zu\n", executions);
}
