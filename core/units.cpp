// Units brought together by document.
#include "units.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fault.hpp"
#include "query.hpp"

namespace rankmark {
namespace {

constexpr double kReciprocalRankOffset = 60;

}  // namespace

void Parents::set(std::string_view unit, std::string_view document) {
  const std::uint32_t number = units_.find_or_add(unit);
  if (number == of_units_.size()) of_units_.push_back(0);
  of_units_[number] = documents_.find_or_add(document);
}

std::string_view Parents::document_of(std::string_view unit) const {
  const std::uint32_t number = units_.find(unit);
  if (number == IdTable::kAbsent) {
    throw LimitFault({"unit '" + std::string(unit) + "' has no document in parents", "add it there"});
  }
  return documents_[of_units_[number]];
}

std::string_view UnitMapper::document_of(std::string_view id) const {
  if (options_.parents != nullptr) return options_.parents->document_of(id);
  const std::size_t end =
      options_.separator.size() == 1 ? id.rfind(options_.separator.front()) : id.rfind(options_.separator);
  return end == std::string_view::npos || end == 0 ? id : id.substr(0, end);
}

template <class Ids>
void UnitMapper::order(const Ids& ids, std::span<const double> scores) {
  order_.resize(scores.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    if (options_.by_row) return a < b;
    return options_.higher_id_first ? std::string_view(ids[a]) > std::string_view(ids[b])
                                    : std::string_view(ids[a]) < std::string_view(ids[b]);
  };
  if (!std::is_sorted(order_.begin(), order_.end(), before)) std::sort(order_.begin(), order_.end(), before);
  if (options_.depth < static_cast<std::int64_t>(order_.size())) {
    order_.resize(static_cast<std::size_t>(options_.depth));
  }
}

UnitMapper::Group& UnitMapper::group_of(std::string_view document, std::uint32_t row) {
  const std::uint64_t hash = hash_id(document);
  std::uint32_t& slot = slots_.at(
      hash, [&](std::uint32_t other) { return groups_[other].hash == hash && groups_[other].document == document; });
  if (slot == HashSlots::kFree) {
    slot = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({hash, document, 0, 0, row});
  }
  return groups_[slot];
}

void UnitMapper::add(Group& group, std::size_t place, double score) const noexcept {
  if (group.units >= options_.of_best) return;
  ++group.units;
  switch (options_.combine) {
    case Combine::best:
    case Combine::first: break;
    case Combine::sum:
    case Combine::mean: group.value += score; break;
    case Combine::count: ++group.value; break;
    case Combine::rrf: group.value += 1 / (kReciprocalRankOffset + static_cast<double>(place + 1)); break;
  }
}

double UnitMapper::score_of(const Group& group) const {
  if (std::isnan(group.value)) {
    throw LimitFault(
        {"the scores of the units of document '" + std::string(group.document) + "' are infinite, and have no sum",
         "replace infinite scores, or combine units by their best"});
  }
  return options_.combine == Combine::mean ? group.value / static_cast<double>(group.units) : group.value;
}

template <class Ids>
UnitCounts UnitMapper::map(const Ids& ids, std::span<const double> scores) {
  UnitCounts counts;
  groups_.clear();
  slots_.start(scores.size());
  if (options_.combine == Combine::best && options_.depth >= static_cast<std::int64_t>(scores.size())) {
    for (std::uint32_t row = 0; row < scores.size(); ++row) {
      const std::string_view id = ids[row], document = document_of(id);
      counts.whole += options_.parents == nullptr && document.size() == id.size() ? 1 : 0;
      const std::size_t known = groups_.size();
      Group& group = group_of(document, row);
      if (groups_.size() > known || scores[row] > group.value) {
        group.value = scores[row];
        group.row = row;
      }
    }
    counts.units = static_cast<std::int64_t>(scores.size());
  } else {
    // By rank, so that sums, which are made from the highest score to the lowest, do not depend on the order given.
    order(ids, scores);
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const std::uint32_t row = order_[place];
      const std::string_view id = ids[row], document = document_of(id);
      counts.whole += options_.parents == nullptr && document.size() == id.size() ? 1 : 0;
      counts.negative += options_.combine == Combine::sum && scores[row] < 0 ? 1 : 0;
      Group& group = group_of(document, row);
      if (group.units == 0 && options_.combine == Combine::best) group.value = scores[row];
      if (group.units == 0 && options_.combine == Combine::first) group.value = -static_cast<double>(place + 1);
      add(group, place, scores[row]);
    }
    counts.units = static_cast<std::int64_t>(order_.size());
  }
  counts.documents = static_cast<std::int64_t>(groups_.size());
  finish();
  return counts;
}

void UnitMapper::finish() {
  by_row_.clear();
  const auto earlier = [](const Group& a, const Group& b) { return a.row < b.row; };
  if (!std::is_sorted(groups_.begin(), groups_.end(), earlier)) {
    by_row_.resize(groups_.size());
    places_.resize(groups_.size());
    std::iota(by_row_.begin(), by_row_.end(), std::uint32_t{0});
    std::sort(by_row_.begin(), by_row_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return groups_[a].row < groups_[b].row; });
    for (std::uint32_t place = 0; place < by_row_.size(); ++place) places_[by_row_[place]] = place;
  }
  documents_.clear();
  scores_.clear();
  for (std::size_t place = 0; place < groups_.size(); ++place) {
    const Group& group = groups_[by_row_.empty() ? place : by_row_[place]];
    documents_.push_back(group.document);
    scores_.push_back(score_of(group));
  }
}

std::size_t UnitMapper::find(std::string_view document, std::uint64_t hash) const noexcept {
  const std::uint32_t group = slots_.find(
      hash, [&](std::uint32_t other) { return groups_[other].hash == hash && groups_[other].document == document; });
  if (group == HashSlots::kFree) return groups_.size();
  return by_row_.empty() ? group : places_[group];
}

template UnitCounts UnitMapper::map(const TextIds&, std::span<const double>);
template UnitCounts UnitMapper::map(const std::span<const std::string_view>&, std::span<const double>);
template UnitCounts UnitMapper::map(const std::vector<std::string>&, std::span<const double>);

}  // namespace rankmark
