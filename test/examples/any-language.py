"""Plays every request of the example's client; prints what came back as one line of JSON. Run by any-language.test.ts."""
import json, os, sys, urllib.error, urllib.request

sys.path.insert(0, sys.argv[1])
from worker import Jobs, Problem, from_environment, work

jobs, told = from_environment(), {}


def refused(call):
    try:
        call()
    except Problem as problem:
        return [problem.status, problem.kind, problem.document.get("state") or problem.document.get("field")]


def fetched():
    [job] = jobs.fetch("scanner", waitMs=5_000, lockMs=600_000)
    return job


told["enqueued"] = jobs.enqueue("scan.convert", {"file": "a.tiff"}, worker="scanner", key="a é")["duplicate"]
told["again"] = jobs.enqueue("scan.convert", {"file": "a.tiff"}, worker="scanner", key="a é")["duplicate"]
job = fetched()
told["payload"] = job["payload"]
told["extended"] = jobs.answer(job, "extend", lockMs=120_000)["cancelRequested"]
told["completed"] = jobs.answer(job, "complete", result={"pages": 3}, enqueue=[{"type": "scan.publish", "payload": {}, "worker": "scanner"}])
told["lost"] = refused(lambda: jobs.answer(job, "complete"))
job = fetched()
told["follow-up"] = job["type"]
told["unlocked"] = jobs.answer(job, "unlock")
job = fetched()
told["failed"] = jobs.answer(job, "failure", message="disk full", retries=2, retryAfter=0)
told["error"] = jobs.answer(fetched(), "error", code="Torn", message="Page 3 is torn.")
[dead] = jobs.call("GET", "/jobs", query={"errorName": "Torn", "state": "dead"})["jobs"]
told["dead"] = [dead["type"], dead["error"]["name"], dead["failures"]]
told["counts"] = jobs.call("GET", "/jobs/count", query={"type": "scan.publish", "from": "1h"})["dead"]
told["one"] = jobs.call("GET", f"/jobs/{job['id']}")["state"]
told["wrong"] = refused(lambda: jobs.fetch("scanner", max=99))
strangers = [Jobs(jobs.url, jobs.region, jobs.key, "wrong"), Jobs(jobs.url, "eu-west-1", jobs.key, jobs.secret)]
told["strangers"] = [refused(lambda: stranger.fetch("scanner"))[0] for stranger in strangers]
try:
    urllib.request.urlopen(f"{jobs.url}/jobs")
except urllib.error.HTTPError as error:
    told["unsigned"] = error.code

for file in ("b.tiff", "broken"):
    jobs.enqueue("scan.convert", {"file": file}, worker="scanner", retry="R1/PT1S")


def convert(job):
    if job["payload"]["file"] == "broken":
        raise ValueError("cannot be read")
    return len(job["payload"]["file"])


work(jobs, "scanner", convert, polls=4)
told["worked"] = jobs.call("GET", "/jobs", query={"errorName": "ValueError"})["jobs"][0]["error"]["message"]
told["left"] = jobs.fetch("scanner")
print(json.dumps(told))
