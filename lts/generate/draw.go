package generate

import "math/bits"

// golden is 2^64 divided by the golden ratio, made odd.
const golden = 0x9e3779b97f4a7c15

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, OOPSLA 2014): a bijection of 64-bit numbers that
// leaves no trace of the order of its arguments.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// numbers is a sequence of pseudorandom numbers, SplitMix64 itself.
type numbers uint64

// numbersOf returns one of the sequences of a seed; which is the number of the
// sequence.
func numbersOf(seed, which uint64) numbers { return numbers(mix(mix(seed+golden) + which*golden)) }

func (r *numbers) next() uint64 {
	*r += golden
	return mix(uint64(*r))
}

// below returns a number from 0 to n-1. The probabilities of two numbers differ
// by a factor of less than 1 + n/2^64 (Lemire: Fast random integer generation in
// an interval, 2019, without its correction).
func (r *numbers) below(n uint64) uint64 {
	high, _ := bits.Mul64(r.next(), n)
	return high
}

// permutation is a bijection of the numbers from 0 to n-1 that is computed, not
// stored.
type permutation struct {
	n, mask uint64
	shift   uint
	factors [3]uint64 // odd numbers, which are units modulo a power of two
	terms   [3]uint64
}

// newPermutation returns the permutation of n numbers that belongs to the seed.
func newPermutation(n, seed uint64) *permutation {
	width := max(1, bits.Len64(n-1))
	p := &permutation{n: n, mask: 1<<width - 1, shift: uint(width+1) / 2}
	r := numbersOf(seed, 1<<63)
	for i := range p.factors {
		p.factors[i] = r.next() | 1
		p.terms[i] = r.next()
	}
	return p
}

// at returns the image of i. Each round permutes the numbers of as many bits as n
// needs; a result that is not below n is permuted again until it is (Black,
// Rogaway: Ciphers with arbitrary finite domains, 2002, method 2), less than once
// on average.
func (p *permutation) at(i uint64) uint64 {
	for {
		for round, factor := range p.factors {
			i = (i*factor + p.terms[round]) & p.mask
			i ^= i >> p.shift
		}
		if i < p.n {
			return i
		}
	}
}
