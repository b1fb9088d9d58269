//go:build 386 || arm || mips || mipsle

package lts

// A model may have up to 2^32 - 2 states, which an int of 32 bits cannot count. On such a system
// the compiler reports this name as undefined, which says the reason.
var _ = inev_needs_a_64_bit_system
