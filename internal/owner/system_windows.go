package owner

// enforced says that the system heeds the permissions of files. On Windows the
// user's own folder has rules of its own.
const enforced = false
