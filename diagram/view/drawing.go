package view

// Drawing is what can be drawn: a [*Graph], [*Chart] or [*Argument].
type Drawing interface {
	// Drawn does nothing: it marks these three.
	Drawn()
}

// Drawn marks what can be drawn.
func (*Graph) Drawn() {}

// Drawn marks what can be drawn.
func (*Chart) Drawn() {}

// Drawn marks what can be drawn.
func (*Argument) Drawn() {}
