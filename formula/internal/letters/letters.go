// Package letters groups the labels of a model by the atoms of a formula that
// hold of them. The groups are the letters of the formula's automaton.
//
// The invariant that holds inside: labels of one letter satisfy the same atoms.
package letters

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Most is the largest number of letters.
const Most = 1<<16 - 1

// Of returns the letter of each label, and the indices of the atoms that hold on
// each letter. Labels that do not happen have an arbitrary letter. It fails if
// there are more than [Most] letters. Cost O(labels · atoms).
func Of(atoms []property.Step, a *lts.Alphabet) (of []uint16, letters []map[int]bool, err error) {
	held := make([][]int, a.Len())
	for i, atom := range atoms {
		for _, l := range atom.Labels {
			held[l] = append(held[l], i)
		}
	}
	of = make([]uint16, a.Len())
	number := map[string]uint16{}
	for l, hold := range held {
		if !a.Happens(lts.Label(l)) {
			continue
		}
		key := fmt.Sprint(hold)
		n, known := number[key]
		if !known {
			if len(letters) == Most {
				return nil, nil, fmt.Errorf("the formula distinguishes more than %d kinds of labels", Most)
			}
			n = uint16(len(letters))
			number[key] = n
			letter := map[int]bool{}
			for _, i := range hold {
				letter[i] = true
			}
			letters = append(letters, letter)
		}
		of[l] = n
	}
	return of, letters, nil
}
