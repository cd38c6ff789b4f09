// Package store keeps runs in a folder: their events and headers in one bbolt
// database, pictures and large results as files named by the hash of their
// content.
//
// Its main idea is that no loss or damage goes unnoticed. A batch is whole and
// synced when Append returns. Each event has a checksum that continues the one
// before it, so that a changed byte, a missing event or an outdated page is an
// error where it is read. A database that was not closed, or was changed since,
// is read page by page before bbolt may map it. A file that is empty, missing,
// foreign or newer is refused, and never replaced by a new one.
//
// Its limit is one process: the folder is locked while a Store is open.
package store
