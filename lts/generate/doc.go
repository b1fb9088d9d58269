// Package generate writes synthetic models as .aut text, and the models of a few
// well-known algorithms for any number of processes. They serve benchmarks, tests
// and comparisons of tools. [Kinds] lists them.
//
// A model is a function of its [Spec]: the same Spec gives the same bytes, on
// every platform. Random choices come from a hash of the seed and the number of
// the state, so that the transitions of a state are known without those of the
// states before it. Therefore the text is written as it is made, in memory that
// does not grow with the model, and [Spec.Shuffle] costs no memory. Only the
// models of algorithms have to be explored before the first line, and are held
// while they are written.
//
// The invariant that holds inside: the numbers of states and transitions are
// known before the first transition is delivered, and are exact; every state is
// reachable from the initial one, which is 0.
package generate
