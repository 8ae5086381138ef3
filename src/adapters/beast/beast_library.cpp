// The one translation unit that holds Beast's bodies (BOOST_BEAST_SEPARATE_COMPILATION).
#include <boost/beast/src.hpp>
