// Package chart draws the diagrams of reports: curves of training, scatter plots that compare
// two runs, and cactus plots (problems solved within a time). The paper has such diagrams in
// its section "Experimental Results".
//
// A diagram is SVG: colours are classes, so that a diagram follows the reader's light or dark
// theme, and points can have titles that appear when a pointer rests on them. The same data
// always have the same bytes, so that reports can be compared and kept under version control.
// Colours are those of Okabe and Ito, which are distinguishable with any colour vision;
// markers and dashes differ too.
package chart
