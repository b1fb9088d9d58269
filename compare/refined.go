package compare

import (
	"context"
	"encoding/binary"

	"github.com/inev-lts/inev/lts"
)

// refined returns classes of blocks, round by round: all blocks are in one class at first, and the
// last round is the first that parts the two blocks. Each round puts into next the classes that
// those of the last one fall into.
func refined(ctx context.Context, blocks int, old, latest lts.State, round func(last, next []uint32) error) ([][]uint32, error) {
	rounds := [][]uint32{make([]uint32, blocks)}
	for last := rounds[0]; last[old] == last[latest]; last = rounds[len(rounds)-1] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := make([]uint32, blocks)
		if err := round(last, next); err != nil {
			return nil, err
		}
		rounds = append(rounds, next)
	}
	return rounds, nil
}

// numbering numbers the classes of a round in the order in which they are met. The zero value has
// none.
type numbering struct {
	known map[string]uint32
	key   []byte
}

// of returns the number of the blocks that were in a class and have the same moves, ascending.
func (n *numbering) of(class uint32, moves []move) uint32 {
	n.key = binary.BigEndian.AppendUint32(n.key[:0], class)
	for _, m := range moves {
		n.key = binary.BigEndian.AppendUint64(n.key, uint64(m))
	}
	number, is := n.known[string(n.key)]
	if !is {
		if n.known == nil {
			n.known = make(map[string]uint32)
		}
		number = uint32(len(n.known))
		n.known[string(n.key)] = number
	}
	return number
}
