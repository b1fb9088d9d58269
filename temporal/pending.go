package temporal

import "github.com/inev-lts/inev/property"

func (d *determined) pending(of []form, atoms []property.Step) property.Phrase { return nil }
