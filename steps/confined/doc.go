// Package confined opens, reads, writes and lists files inside the folders that a
// step may use. Every access goes through an os.Root, so that no link and no ".."
// leads out, also when the folder is changed meanwhile.
package confined
