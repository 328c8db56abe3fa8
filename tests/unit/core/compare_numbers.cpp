// Reads random numbers in both ways that core/numbers.cpp has, and prints each on which they differ: the number of
// numbers and the name of a locale are the arguments. numbers.cpp is compiled twice, the second time with
// RANKMARK_STRTOD and with `rankmark` defined as `by_strtod`.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "numbers.hpp"

namespace by_strtod::numbers {
bool parse_any(std::string_view field, double& number);
}

namespace {

std::mt19937_64 dice(1);

std::size_t below(std::size_t end) { return dice() % end; }

std::string digits(std::size_t count) {
  std::string text;
  while (text.size() < count) text += static_cast<char>('0' + below(10));
  return text;
}

// A number as text: any double in 17 digits or in all that it has, one halfway to the next, or any digits at all.
std::string written() {
  const std::uint64_t bits = below(4) == 0 ? dice() >> 12 : dice();  // one in four is subnormal
  double number;
  std::memcpy(&number, &bits, sizeof number);
  char text[1200];
  switch (below(6)) {
    case 0: std::snprintf(text, sizeof text, "%.17g", number); return text;
    case 1: std::snprintf(text, sizeof text, "%.800e", number); return text;
    case 2: return "0x" + digits(1 + below(16)) + (below(2) == 0 ? "" : "p-3");
    case 3: {
      const auto exact = static_cast<unsigned long long>((dice() | std::uint64_t{1} << 63) >> 10);  // 54 bits
      std::snprintf(text, sizeof text, "%llu.%se%d", exact, below(2) == 0 ? "0" : "00000000000000000001",
                    static_cast<int>(below(640)) - 340);
      return text;
    }
    case 4: {
      static const char* const odd[] = {
          "inf",  "-Infinity", "nan", "-0.0e9", "1e99999999999",           "1e-99999999999", "1,5",
          "1.5e", "e5",        ".",   "1e400",  "2.4703282292062327e-324", "0e999"};
      return odd[below(std::size(odd))];
    }
    default:
      return (below(2) == 0 ? "-" : "") + digits(1 + below(30)) + "." + digits(below(60)) +
             (below(2) == 0 ? "" : "e" + std::to_string(static_cast<int>(below(700)) - 350));
  }
}

}  // namespace

int main(int, char** arguments) {
  if (std::setlocale(LC_ALL, arguments[2]) == nullptr) return 2;
  char shown[16];
  std::snprintf(shown, sizeof shown, "%.1f", 0.5);
  std::setlocale(LC_NUMERIC, "C");  // to write numbers
  long differences = 0, numbers = 0;
  for (long count = std::strtol(arguments[1], nullptr, 10); count > 0; --count) {
    const std::string text = written();
    std::setlocale(LC_NUMERIC, arguments[2]);
    double one = 0, other = 0;
    const bool is_one = rankmark::numbers::parse_any(text, one);
    const bool is_other = by_strtod::numbers::parse_any(text, other);
    std::setlocale(LC_NUMERIC, "C");
    numbers += is_one;
    if (is_one == is_other && (!is_one || std::memcmp(&one, &other, sizeof one) == 0)) continue;
    ++differences;
    std::printf("%s: %a, %a\n", text.c_str(), one, other);
  }
  std::printf("%ld numbers, %ld differences, half is %s\n", numbers, differences, shown);
  return differences == 0 ? 0 : 1;
}
