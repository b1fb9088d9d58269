module github.com/inev-lts/inev/modules/proof

go 1.26.0

replace github.com/inev-lts/inev => ../../

require github.com/inev-lts/inev v0.0.0-00010101000000-000000000000

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/klauspost/pgzip v1.3.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
