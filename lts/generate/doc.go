// Package generate writes synthetic models as .aut text, and the models of a few
// well-known algorithms for any number of processes: for benchmarks, for tests,
// and for whoever compares tools. [Kinds] lists what there is.
//
// A model is a function of its [Spec]: the same Spec gives the same bytes, on
// every platform. What is drawn is drawn from a hash of the seed and the number
// of the state, so that the transitions of a state can be told without those of
// the states before it. That is why the text is written as it is made, in memory
// that does not grow with the model, and why [Spec.Shuffle] costs none. Only the
// models of algorithms have to be explored before the first line, and are held
// for as long as they are written.
//
// The invariant that holds inside: the numbers of states and transitions are
// known before the first transition is delivered, and are exact; every state is
// reachable from the initial one, which is 0.
package generate
