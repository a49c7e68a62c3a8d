package dataset

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/data/parquet"
)

// maxValues bounds the values of a data set that is read: rows times columns,
// 8 bytes each.
const maxValues = 1 << 29

// A file may unpack to 64 MiB, and beyond that to as many times its own size as
// data of its kind do: the columns of an NPZ file are deflated, at most 1032 to 1
// and below 100 to 1 where they are not all the same, and a column of a Parquet
// file in which all values are the same takes some 100 bytes for 65,536 of them.
const (
	npzRatio     = 100
	parquetRatio = 1 << 13
)

// alwaysUnpacked is that size, which tests make smaller.
var alwaysUnpacked int64 = 64 << 20

// unpacked is the most bytes that a file of that size may unpack to.
func unpacked(size, ratio int64) int64 { return alwaysUnpacked + ratio*size }

// errUnpacked is the error for a file that unpacks to more.
var errUnpacked = parquet.ErrUnpacked

// RoomFor refuses more values than a data set may have.
func RoomFor(rows, columns int) error {
	if columns > 0 && rows > maxValues/columns {
		return fmt.Errorf("%d rows of %d columns; at most %d values are read", rows, columns, maxValues)
	}
	return nil
}
