// Arrow's types: https://arrow.apache.org/docs/format/CDataInterface.html#data-type-description-format-strings
#include "arrow_types.hpp"

#include <charconv>
#include <utility>

#include "decimals.hpp"

namespace rankmark {

DecimalType decimal_type_of(std::string_view format) noexcept {
  if (!format.starts_with("d:")) return {};
  int fields[] = {0, 0, 128};  // digits, scale, bits
  const char* p = format.data() + 2;
  const char* const end = format.data() + format.size();
  for (int& field : fields) {
    const auto [stop, failed] = std::from_chars(p, end, field);
    if (failed != std::errc()) return {};
    p = stop;
    if (p == end) break;
    if (*p++ != ',') return {};
  }
  const auto [digits, scale, bits] = fields;
  const bool known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
  if (p != end || !known || scale > Decimal::kLargestScale || scale < -Decimal::kLargestScale) return {};
  return {bits / 8, scale};
}

std::string held_by_type(std::string_view format) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"uuid", "UUIDs"},
      {"dictionary", "dictionaries of dictionaries"},
      {"+l", "lists"},
      {"+L", "lists"},
      {"+vl", "lists"},
      {"+vL", "lists"},
      {"+w:", "lists"},
      {"+s", "structs"},
      {"+m", "maps"},
      {"+u", "values of several types"},
      {"+r", "run-end encoded values"},
      {"td", "dates"},
      {"tt", "times of day"},
      {"ts", "timestamps"},
      {"tD", "durations"},
      {"ti", "intervals"},
      {"d:", "decimals"},
      {"w:", "bytes"},
      {"v", "text"},
      {"n", "nothing but nulls"},
      {"b", "truth values"},
      {"B", "truth values"},
      {"e", "numbers"},
      {"f", "numbers"},
      {"g", "numbers"},
      {"u", "text"},
      {"U", "text"},
      {"z", "bytes"},
      {"Z", "bytes"},
  };
  for (const auto& [begins, words] : kWords) {
    if (format.starts_with(begins)) return std::string(words);
  }
  if (format.size() == 1) return "whole numbers";
  return "values of a type that is not known";
}

}  // namespace rankmark
