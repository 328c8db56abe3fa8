// Whether NumPy's arrays are as they are expected, which is tried on one array of each type.
#include "values.hpp"

#include <exception>

namespace rankmark {

bool KnownArrays::searched_ = false;
PyTypeObject* KnownArrays::type_ = nullptr;
PyObject* KnownArrays::float64_ = nullptr;
PyObject* KnownArrays::bool_ = nullptr;
PyObject* KnownArrays::int32_ = nullptr;
PyObject* KnownArrays::int64_ = nullptr;

void KnownArrays::find() noexcept try {
  searched_ = true;
  const nb::module_ numpy = nb::module_::import_("numpy");
  auto* const type = reinterpret_cast<PyTypeObject*>(numpy.attr("ndarray").ptr());
  if (static_cast<std::size_t>(type->tp_basicsize) < sizeof(ArrayFields)) return;
  const auto dtype_of = [&](const char* name) -> PyObject* {
    const nb::object array = numpy.attr("zeros")(3, name), dtype = numpy.attr("dtype")(name);
    const auto* const fields = reinterpret_cast<const ArrayFields*>(array.ptr());
    const auto address = nb::cast<std::uintptr_t>(array.attr("__array_interface__")["data"][nb::int_(0)]);
    const bool as_expected = Py_TYPE(array.ptr()) == type && fields->dimensions == 1 &&
                             reinterpret_cast<std::uintptr_t>(fields->data) == address &&
                             fields->dtype == dtype.ptr() && array.attr("dtype").ptr() == dtype.ptr() &&
                             fields->shape[0] == 3 && nb::cast<int>(array.attr("flags").attr("num")) == fields->flags;
    return as_expected ? nb::object(dtype).release().ptr() : nullptr;  // kept as long as the process lives
  };
  float64_ = dtype_of("float64");
  bool_ = dtype_of("bool");
  int32_ = dtype_of("int32");
  int64_ = dtype_of("int64");
  if (float64_ != nullptr && bool_ != nullptr && int32_ != nullptr && int64_ != nullptr) type_ = type;
} catch (const std::exception&) {
  type_ = nullptr;  // then arrays are read as other libraries' are
}

}  // namespace rankmark
