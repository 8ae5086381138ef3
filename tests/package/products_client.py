#!/usr/bin/env python3
"""products_client.py PORT SOCKET_FOLDER: asks the products example what its README promises."""

import asyncio
import subprocess
import sys
import time

PORT, FOLDER = int(sys.argv[1]), sys.argv[2]


def sql(text):
    return subprocess.run(["psql", "-qAtX", "-h", FOLDER, "-U", "postgres", "-c", text],
                          check=True, capture_output=True, text=True).stdout.strip()


def asked():
    return int(sql("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM asked"))


class Answer:
    def __init__(self, head, body):
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split()[1])
        self.headers = {k.lower(): v.strip() for k, v in (l.split(":", 1) for l in lines[1:] if l)}
        self.body = body.decode()

    @property
    def coalesced(self):
        return self.headers.get("x-cache-coalesced") == "true"


async def send(text):
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.write(text.encode())
    await writer.drain()
    return reader, writer


async def get(product, path="/products/"):
    reader, writer = await send(f"GET {path}{product} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answer = Answer(*(await reader.read()).split(b"\r\n\r\n", 1))
    writer.close()
    return answer


def check(what, is_so):
    if not is_so:
        raise SystemExit(f"not so: {what}")
    print(f"  {what}")


async def main():
    before = asked()
    answers = await asyncio.gather(*(get("p1") for _ in range(200)))
    check("200 at once: all 200", all(a.status == 200 for a in answers))
    check("the row as JSON", all(a.body == '{"id":"p1","name":"Levee","price":19.90}\n' for a in answers))
    check("one query", asked() - before == 1)
    check("199 of them coalesced", sum(a.coalesced for a in answers) == 199)
    hit = await get("p1")
    check("then a hit, not coalesced, no query",
          hit.status == 200 and not hit.coalesced and asked() - before == 1)

    before = asked()
    _, leaver = await send("GET /products/p2 HTTP/1.1\r\nHost: x\r\n\r\n")
    others = [asyncio.create_task(get("p2")) for _ in range(20)]
    while asked() == before:  # until its query runs
        await asyncio.sleep(0.005)
    leaver.close()
    answers = await asyncio.gather(*others)
    check("the first one leaves: the others get theirs from one query",
          all(a.status == 200 for a in answers) and asked() - before == 1)

    missing = await get("nothing")
    before = asked()
    again = await get("nothing")
    check("no row: 404, remembered", missing.status == again.status == 404 and asked() == before)
    injected = await get("p1'--")
    check("SQL in the id is data: 404", injected.status == 404)

    sql("UPDATE settings SET broken = true")
    before = asked()
    answers = await asyncio.gather(*(get("p3") for _ in range(50)))
    check("the query fails: 500 for all, from one", all(a.status == 500 for a in answers) and asked() - before == 1)
    check("as JSON, without the database's words",
          all(a.headers["content-type"] == "application/problem+json" and "secret" not in a.body
              for a in answers))
    check("but one of them coalesced", sum(a.coalesced for a in answers) == 49)
    sql("UPDATE settings SET broken = false")
    sql("INSERT INTO product_rows VALUES ('p3', 'Dike', 1)")
    check("the very next one tries anew", (await get("p3")).status == 200)

    sql("UPDATE settings SET delay = 60")
    begun = time.monotonic()
    answers = await asyncio.gather(*(get("p4") for _ in range(50)))
    check("a query that hangs: 504 with Retry-After for all",
          all(a.status == 504 and int(a.headers["retry-after"]) >= 1 for a in answers))
    check("by its deadline (or thrice that, on a busy machine)", time.monotonic() - begun < 9)
    sql("UPDATE settings SET delay = 0")
    for _ in range(200):
        left = sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%row_to_json(p)%' "
                   "AND pid <> pg_backend_pid()")
        if left == "0":
            break
        await asyncio.sleep(0.05)
    check("and the server has ended it", left == "0")
    check("the next one is well", (await get("p2")).status == 200)

    check("another path: 404", (await get("", "/else")).status == 404)
    reader, writer = await send("nonsense\r\n\r\n")
    check("nonsense: 400", (await reader.read()).startswith(b"HTTP/1.1 400"))
    writer.close()
    reader, writer = await send("GET /products/p1 HTTP/1.1\r\nHost:")
    check("half a request: 408", (await reader.read()).startswith(b"HTTP/1.1 408"))
    writer.close()
    metrics = await get("metrics", "/")
    check("the counters say the same", "products_singleflight_shared_total " in metrics.body)


asyncio.run(main())
