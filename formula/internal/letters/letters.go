// Package letters groups the labels of a model by the atoms of a formula that
// hold of them. The groups are the letters of the formula's automaton.
//
// The invariant that holds inside: labels of one letter satisfy the same atoms.
package letters

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Most is the largest number of letters.
const Most = 1<<16 - 1

// TooMany reports that there are more letters than this.
type TooMany int

// Error names the limit.
func (e TooMany) Error() string {
	return fmt.Sprintf("the formula distinguishes more than %d kinds of labels", int(e))
}

// Of returns the letter of each label, and for each letter which atoms hold. A
// label that does not happen must not make a difference: its letter is arbitrary.
// It fails with [TooMany] if there are more letters than most, and if ctx is done.
// Cost O(labels · atoms).
func Of(ctx context.Context, atoms []property.Step, a *lts.Alphabet, most int) (of []uint16, letters [][]bool, err error) {
	held := make([][]int, a.Len())
	for i, atom := range atoms {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		for _, l := range atom.Labels {
			held[l] = append(held[l], i)
		}
	}
	of = make([]uint16, a.Len())
	number := map[string]uint16{}
	key := make([]byte, len(atoms))
	for l, hold := range held {
		if !a.Happens(lts.Label(l)) {
			continue
		}
		clear(key)
		for _, i := range hold {
			key[i] = 1
		}
		n, known := number[string(key)]
		if !known {
			switch {
			case len(letters) >= most:
				return nil, nil, TooMany(most)
			case ctx.Err() != nil:
				return nil, nil, ctx.Err()
			}
			n = uint16(len(letters))
			number[string(key)] = n
			letter := make([]bool, len(atoms))
			for _, i := range hold {
				letter[i] = true
			}
			letters = append(letters, letter)
		}
		of[l] = n
	}
	return of, letters, ctx.Err()
}
