package lts

var NewLabelColumn = newLabelColumn
