// Ids of neighbours in arrays of two dimensions, read where they lie.
#pragma once

#include <optional>

#include "convert.hpp"

namespace rankmark {

template <class Id>
using IdRows = nb::ndarray<const Id, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The columns of NeighbourCounts, of at least one row; the last has no columns unless `first` is wanted.
template <class Id>
nb::tuple neighbour_counts(const IdRows<Id>& truth, const IdRows<Id>& found, std::int64_t k, std::optional<Id> padding,
                           const std::optional<Input<std::int64_t>>& ends, bool first, int threads);

}  // namespace rankmark
