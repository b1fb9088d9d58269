package mcrl2

import (
	"encoding/binary"
	"math/big"
	"slices"
)

// numeralMax is the largest length of a number in bits: such a number has more
// digits than a text may have.
const numeralMax = 4 << 20

// numeral prints a number that is represented by words, the lowest outermost, or
// by bits.
func (p *printer) numeral(x term) {
	if p.opOf(x, 1) == opDigit {
		p.data(p.argument(x, 1))
		return
	}
	var bytes []byte // the lowest first
	bit := 0
	for p.hasShape(x, aNumeral) && 8*len(bytes) <= numeralMax {
		switch {
		case p.opOf(x, 2) == opDouble:
			bytes = withBit(bytes, bit, p.op(p.argument(x, 1)) == opTrue)
			bit++
			x = p.argument(x, 2)
			continue
		case p.opOf(x, 2) == opConcatDigit:
			bytes = binary.LittleEndian.AppendUint64(bytes, p.value(p.argument(x, 2)))
			x = p.argument(x, 1)
			continue
		}
		bytes = binary.LittleEndian.AppendUint64(bytes, p.value(p.argument(x, 1)))
		break
	}
	if p.op(x) == opOne {
		bytes = withBit(bytes, bit, true)
	}
	slices.Reverse(bytes)
	p.out = new(big.Int).SetBytes(bytes).Append(p.out, 10)
}

// withBit returns the number with one more bit.
func withBit(bytes []byte, bit int, set bool) []byte {
	if bit%8 == 0 {
		bytes = append(bytes, 0)
	}
	if set {
		bytes[bit/8] |= 1 << (bit % 8)
	}
	return bytes
}
