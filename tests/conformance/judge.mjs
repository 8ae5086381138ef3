// judge.mjs SUITE RESULTS.json TABLE.txt: every required and optimal test passes, but for those that
// the table names, and those do not. Counted as the published results are: each by itself.
import fs from 'fs'
import { pathToFileURL } from 'url'

const [suite, resultsFile, tableFile] = process.argv.slice(2)
const tests = (await import(pathToFileURL(`${suite}/tests/index.mjs`))).default
const results = JSON.parse(fs.readFileSync(resultsFile))
const reasons = new Map(fs.readFileSync(tableFile, 'utf8').split('\n')
  .filter(line => line.trim() && !line.startsWith('#'))
  .map(line => [line.split(/\s+/)[0], line]))

const passed = { required: 0, optimal: 0 }
const all = { required: 0, optimal: 0 }
const wrong = []
for (const test of tests.flatMap(group => group.tests)) {
  const kind = test.kind || 'required'
  if (test.browser_only || test.cdn_only || kind === 'check') continue
  all[kind]++
  const passes = results[test.id] === true
  if (passes) passed[kind]++
  const tabled = reasons.delete(test.id)
  if (passes && tabled) wrong.push(`${test.id} passes: take it out of the table`)
  if (!passes && !tabled) wrong.push(`${test.id} (${kind}) fails: ${JSON.stringify(results[test.id])}`)
}
for (const id of reasons.keys()) wrong.push(`${id}: there is no such test`)

for (const kind of ['required', 'optimal']) console.log(`${kind}: ${passed[kind]} of ${all[kind]}`)
for (const line of wrong) console.log(line)
process.exit(wrong.length === 0 ? 0 : 1)
