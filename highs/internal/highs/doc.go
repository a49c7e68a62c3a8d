// Package highs runs the HiGHS solver for mixed integer linear programs, the
// open counterpart of the CPLEX of the paper's FD-BLP-Plan+, in process, from
// its WebAssembly build under wazero.
//
// The WebAssembly file is that of the npm package highs, version 1.15.3. It is
// not part of this module. Find looks for it, in this order,
//
//  1. where the environment variable FDPLAN_HIGHS_WASM says,
//  2. in node_modules/highs/build beside the folder of the running program,
//  3. in tools/highs/node_modules/highs/build and node_modules/highs/build of the
//     working directory and of the folders above it (npm ci --prefix tools/highs
//     in a checkout brings it there),
//  4. in fdplan/node_modules/highs/build of the user's cache directory, and as
//     fdplan/highs.wasm there.
//
// The names in that file are shortened by its build, so that only the very file
// is run, known by its SHA-256. What compiling makes of it is kept in the
// user's cache directory; without that, each process compiles for some seconds.
//
// # How it stops
//
// The time limit is HiGHS's own option. When the context ends, HiGHS is asked
// to stop through its interrupt callbacks. If it is still running half a second
// later, it is stopped as it reads the clock, which it does all the time. In
// the rare loop that does neither, Solve still returns after a second, and the
// computation ends at its next reading. wazero's own way to close
// a module on the end of a context is off: it makes all code three to four times
// slower.
package highs
