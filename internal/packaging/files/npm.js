#!/usr/bin/env node
// Runs the program of this system and processor, which npm installed beside
// this package, and ends as it ends.
'use strict'
const { spawn } = require('node:child_process')

const platform = `@PACKAGE@-${process.platform}-${process.arch}`
const program = process.platform === 'win32' ? 'understudy.exe' : 'understudy'

let path
try {
  path = require.resolve(`${platform}/bin/${program}`)
} catch {
  console.error(`understudy: the package ${platform} is not installed.
There is one for linux, darwin and win32, each on x64 and arm64. If this is such a system,
optional dependencies were left out: npm install --include=optional @PACKAGE@`)
  process.exit(1)
}

const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}
child.on('error', (err) => {
  console.error(`understudy: ${err.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
