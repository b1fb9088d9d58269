//go:build !js

package main

import (
	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostProduct bounds the states of a product that is written.
const mostProduct = 1 << 22

// writeProduct writes the product of a model and a property, as far as it can be reached.
func (j *job) writeProduct(m *lts.LTS, f property.Formula, path string) error {
	if err := checkOutput(path, ".hoa"); err != nil {
		return err
	}
	p, _, err := f.Bind(j.ctx, m.Alphabet())
	if err != nil {
		return err
	}
	g, err := buchi.NewProduct(j.ctx, m, p)
	if err != nil {
		return err
	}
	d, err := g.Describe(j.ctx, mostProduct)
	if err != nil {
		return err
	}
	return j.save(path, d.Write)
}
