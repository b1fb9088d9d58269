package mcrl2

import (
	"context"

	"github.com/inev-lts/inev/lts"
)

// labelCache is empty: in a browser, where models are small, packets are read one
// by one.
type labelCache struct{}

func (labelCache) keep([2]term, lts.Label) {}

func (d *decoder) usualTransitions(context.Context) {}
