package auth

import "io/fs"

// ours says nothing on Windows, where the folder of a user keeps others out.
func ours(fs.FileInfo) bool { return true }
