//go:build 386 || arm || mips || mipsle

package lts

// The number of states that a model may have, 2^32 - 2, is no int where an int has 32 bits.
// The error of the compiler begins with the name of this variable, which gives the reason.
var _ = inev_needs_a_64_bit_system
