package explain

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property/product"
)

// mostInBits is the number of states of a property that a set of places may have with a bit for each place
// that there can be.
const mostInBits = 64

// placeSet is a set of places.
type placeSet struct {
	bits   bitset.Set[int]
	states int
	// met has the places if the property has more states: few of them come to be.
	met map[product.Place]bool
}

// newPlaceSet returns an empty set, for all places of the model and the property. Cost O(S).
func (a *Analysis) newPlaceSet(ctx context.Context) (*placeSet, error) {
	x := &placeSet{states: a.m.NumStates()}
	if a.Property.States() > mostInBits {
		x.met = map[product.Place]bool{}
		return x, nil
	}
	size := x.states * a.Property.States()
	if err := resources.AskFor[uint64](ctx, bitset.Words(size)); err != nil {
		return nil, err
	}
	x.bits = bitset.New[int](size)
	return x, nil
}

func (x *placeSet) has(at product.Place) bool {
	if x.met != nil {
		return x.met[at]
	}
	return x.bits.Has(int(at.Q)*x.states + int(at.State))
}

// add adds a place, and reports whether it was not there.
func (x *placeSet) add(at product.Place) (fresh bool) {
	if x.has(at) {
		return false
	}
	if x.met != nil {
		x.met[at] = true
	} else {
		x.bits.Add(int(at.Q)*x.states + int(at.State))
	}
	return true
}
