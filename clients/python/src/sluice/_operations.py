"""The operations of the API, named as in its OpenAPI document. Generated from its OpenAPI document by `npm run contract`; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from . import types


def given(members: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


class Operations:
    """The operations of the API that take no rows. All raise `SluiceError`."""

    def _call(
        self, name: str, method: str, path: str, names: Dict[str, str], query: Dict[str, Any], body: Any
    ) -> Any:
        raise NotImplementedError

    def health(self) -> types.Health:
        """Check whether the process answers."""
        answer: types.Health = self._call("health", "GET", "/v1/health", {}, {}, None)
        return answer

    def ready(self) -> types.Ready:
        """Check whether requests can be served now."""
        answer: types.Ready = self._call("ready", "GET", "/v1/ready", {}, {}, None)
        return answer

    def list_batches(self) -> types.BatchList:
        """List batches that come in parts."""
        answer: types.BatchList = self._call("listBatches", "GET", "/v1/batches", {}, {}, None)
        return answer

    def find_batch(self, id: str) -> types.BatchInParts:
        """Get a batch that comes in parts."""
        answer: types.BatchInParts = self._call("findBatch", "GET", "/v1/batches/{id}", {"id": id}, {}, None)
        return answer

    def abort_batch(self, id: str) -> types.BatchInParts:
        """Give a batch up."""
        answer: types.BatchInParts = self._call("abortBatch", "DELETE", "/v1/batches/{id}", {"id": id}, {}, None)
        return answer

    def list_keys(self) -> types.KeyList:
        """List keys."""
        answer: types.KeyList = self._call("listKeys", "GET", "/v1/keys", {}, {}, None)
        return answer

    def create_key(self, *, name: Optional[Union[str, None]] = None) -> types.NewKey:
        """Create a key."""
        answer: types.NewKey = self._call("createKey", "POST", "/v1/keys", {}, {}, given({"name": name}))
        return answer

    def find_key(self, id: str) -> types.ApiKey:
        """Get a key."""
        answer: types.ApiKey = self._call("findKey", "GET", "/v1/keys/{id}", {"id": id}, {}, None)
        return answer

    def delete_key(self, id: str) -> types.DeletedKey:
        """Delete a key."""
        answer: types.DeletedKey = self._call("deleteKey", "DELETE", "/v1/keys/{id}", {"id": id}, {}, None)
        return answer

    def send_code(self, *, email: str) -> types.CodeSent:
        """Request a one-time code."""
        answer: types.CodeSent = self._call("sendCode", "POST", "/v1/auth/otp", {}, {}, given({"email": email}))
        return answer

    def open_session(self, *, email: str, code: str) -> types.Session:
        """Sign in with the code."""
        answer: types.Session = self._call("openSession", "POST", "/v1/auth/session", {}, {}, given({"email": email, "code": code}))
        return answer

    def end_session(self) -> types.EndedSession:
        """Sign out."""
        answer: types.EndedSession = self._call("endSession", "DELETE", "/v1/auth/session", {}, {}, None)
        return answer

    def list_sessions(self) -> types.SessionList:
        """List the sessions of the account."""
        answer: types.SessionList = self._call("listSessions", "GET", "/v1/auth/sessions", {}, {}, None)
        return answer

    def end_other_sessions(self) -> types.EndedOtherSessions:
        """End all sessions of the account."""
        answer: types.EndedOtherSessions = self._call("endOtherSessions", "DELETE", "/v1/auth/sessions", {}, {}, None)
        return answer

    def find_session(self, id: str) -> types.ListedSession:
        """Get a session of the account."""
        answer: types.ListedSession = self._call("findSession", "GET", "/v1/auth/sessions/{id}", {"id": id}, {}, None)
        return answer

    def end_one_session(self, id: str) -> types.EndedOneSession:
        """End a session of the account."""
        answer: types.EndedOneSession = self._call("endOneSession", "DELETE", "/v1/auth/sessions/{id}", {"id": id}, {}, None)
        return answer

    def claim_account(self, *, key: str) -> types.ClaimedAccount:
        """Sign in to the account of an API key."""
        answer: types.ClaimedAccount = self._call("claimAccount", "POST", "/v1/account/claim", {}, {}, given({"key": key}))
        return answer

    def show_billing(self) -> types.Billing:
        """Plan and usage."""
        answer: types.Billing = self._call("showBilling", "GET", "/v1/billing", {}, {}, None)
        return answer

    def start_checkout(self, *, tier: Literal["starter", "growth", "scale"]) -> types.PageAddress:
        """Subscribe to a plan."""
        answer: types.PageAddress = self._call("startCheckout", "POST", "/v1/billing/checkout", {}, {}, given({"tier": tier}))
        return answer

    def open_portal(self) -> types.PageAddress:
        """Change or cancel the subscription."""
        answer: types.PageAddress = self._call("openPortal", "POST", "/v1/billing/portal", {}, {}, None)
        return answer

    def list_baselines(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> types.BaselineList:
        """List sources with a baseline."""
        answer: types.BaselineList = self._call("listBaselines", "GET", "/v1/schema", {}, {"limit": limit, "after": after}, None)
        return answer

    def reset_all_baselines(self) -> types.Reset:
        """Reset the baselines of all sources."""
        answer: types.Reset = self._call("resetAllBaselines", "DELETE", "/v1/schema", {}, {}, None)
        return answer

    def describe_baseline(self, source: str) -> types.Baseline:
        """Describe a baseline."""
        answer: types.Baseline = self._call("describeBaseline", "GET", "/v1/schema/{source}", {"source": source}, {}, None)
        return answer

    def reset_baseline(self, source: str) -> types.Reset:
        """Reset the baseline of a source."""
        answer: types.Reset = self._call("resetBaseline", "DELETE", "/v1/schema/{source}", {"source": source}, {}, None)
        return answer

    def list_jobs(self, *, limit: Optional[int] = None, source: Optional[str] = None, status: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, before: Optional[str] = None) -> types.JobList:
        """List jobs."""
        answer: types.JobList = self._call("listJobs", "GET", "/v1/jobs", {}, {"limit": limit, "source": source, "status": status, "from": from_, "to": to, "before": before}, None)
        return answer

    def find_job(self, id: str) -> types.CompleteJob:
        """Get a job with its report and field profiles."""
        answer: types.CompleteJob = self._call("findJob", "GET", "/v1/jobs/{id}", {"id": id}, {}, None)
        return answer

    def source_history(self, source: str, *, limit: Optional[int] = None, before: Optional[str] = None) -> types.History:
        """List the batches of a source, for charts."""
        answer: types.History = self._call("sourceHistory", "GET", "/v1/schema/{source}/history", {"source": source}, {"limit": limit, "before": before}, None)
        return answer

    def source_trends(self, source: str, *, field: Optional[str] = None) -> types.Trends:
        """Get the statistics of a field over the newest batches."""
        answer: types.Trends = self._call("sourceTrends", "GET", "/v1/schema/{source}/trends", {"source": source}, {"field": field}, None)
        return answer

    def get_settings(self, source: str) -> types.Settings:
        """Get the settings of a source."""
        answer: types.Settings = self._call("getSettings", "GET", "/v1/schema/{source}/settings", {"source": source}, {}, None)
        return answer

    def put_settings(self, source: str, *, mode: Optional[Literal["contract", "adaptive", "auto", None]] = None, thresholds: Optional[Union[types.SettingsRequestThresholds, None]] = None, false_alarm_rate: Optional[Union[float, None]] = None, settle_after: Optional[Any] = None, signs: Optional[Any] = None, window: Optional[Union[types.SettingsRequestWindow, None]] = None, owner: Optional[Union[str, None]] = None, tags: Optional[Union[List[str], None]] = None, if_version: Optional[int] = None) -> types.Settings:
        """Replace the settings of a source."""
        answer: types.Settings = self._call("putSettings", "PUT", "/v1/schema/{source}/settings", {"source": source}, {"if_version": if_version}, given({"mode": mode, "thresholds": thresholds, "false_alarm_rate": false_alarm_rate, "settle_after": settle_after, "signs": signs, "window": window, "owner": owner, "tags": tags}))
        return answer

    def pin_baseline(self, source: str, *, pinned: bool) -> types.Pinned:
        """Pin or unpin a baseline."""
        answer: types.Pinned = self._call("pinBaseline", "POST", "/v1/schema/{source}/pin", {"source": source}, {}, given({"pinned": pinned}))
        return answer

    def get_rules(self, source: str) -> types.SourceRules:
        """Show the rules of a source."""
        answer: types.SourceRules = self._call("getRules", "GET", "/v1/schema/{source}/rules", {"source": source}, {}, None)
        return answer

    def put_rules(self, source: str, *, fields: Optional[Dict[str, types.FieldRules]] = None, rows: Optional[types.RowRules] = None, compare: Optional[List[types.CompareRule]] = None, when: Optional[List[types.WhenRule]] = None, statistics: Optional[List[types.StatisticRule]] = None, severity: Optional[Literal["warn", "block"]] = None, tolerance: Optional[float] = None, description: Optional[str] = None, if_version: Optional[int] = None) -> types.ChangedRules:
        """Replace the rules of a source."""
        answer: types.ChangedRules = self._call("putRules", "PUT", "/v1/schema/{source}/rules", {"source": source}, {"if_version": if_version}, given({"fields": fields, "rows": rows, "compare": compare, "when": when, "statistics": statistics, "severity": severity, "tolerance": tolerance, "description": description}))
        return answer

    def delete_rules(self, source: str, *, if_version: Optional[int] = None) -> types.RulesDeleted:
        """Delete the rules of a source."""
        answer: types.RulesDeleted = self._call("deleteRules", "DELETE", "/v1/schema/{source}/rules", {"source": source}, {"if_version": if_version}, None)
        return answer

    def list_rule_changes(self, source: str) -> types.RulesChangeList:
        """List who changed the rules of a source."""
        answer: types.RulesChangeList = self._call("listRuleChanges", "GET", "/v1/schema/{source}/rules/history", {"source": source}, {}, None)
        return answer

    def suggest_rules(self, source: str) -> types.SuggestedRules:
        """Suggest rules for a source."""
        answer: types.SuggestedRules = self._call("suggestRules", "GET", "/v1/schema/{source}/rules/suggested", {"source": source}, {}, None)
        return answer

    def import_rules(self, source: str, body: Dict[str, Any], *, format: str, table: Optional[str] = None, apply: Optional[bool] = None, if_version: Optional[int] = None) -> types.ImportedRules:
        """Make rules of a document of another program."""
        answer: types.ImportedRules = self._call("importRules", "POST", "/v1/schema/{source}/rules/import", {"source": source}, {"format": format, "table": table, "apply": apply, "if_version": if_version}, body)
        return answer

    def accept_batch(self, source: str, *, job_id: str) -> types.Taught:
        """Accept a batch as the new normal."""
        answer: types.Taught = self._call("acceptBatch", "POST", "/v1/schema/{source}/accept", {"source": source}, {}, given({"job_id": job_id}))
        return answer

    def give_feedback(self, source: str, *, job_id: str, verdict: Literal["expected", "bad"]) -> types.Taught:
        """Give feedback on a batch: expected or bad."""
        answer: types.Taught = self._call("giveFeedback", "POST", "/v1/schema/{source}/feedback", {"source": source}, {}, given({"job_id": job_id, "verdict": verdict}))
        return answer

    def list_versions(self, source: str) -> types.VersionList:
        """List stored versions of a baseline."""
        answer: types.VersionList = self._call("listVersions", "GET", "/v1/schema/{source}/versions", {"source": source}, {}, None)
        return answer

    def list_source_changes(self, source: str, *, limit: Optional[int] = None) -> types.SourceChangeList:
        """List what people and programs changed."""
        answer: types.SourceChangeList = self._call("listSourceChanges", "GET", "/v1/schema/{source}/changes", {"source": source}, {"limit": limit}, None)
        return answer

    def roll_back(self, source: str, *, version: int) -> types.RolledBack:
        """Roll back to a version."""
        answer: types.RolledBack = self._call("rollBack", "POST", "/v1/schema/{source}/rollback", {"source": source}, {}, given({"version": version}))
        return answer

    def statistics(self, *, days: Optional[int] = None, limit: Optional[int] = None) -> types.Statistics:
        """Get totals of the last days."""
        answer: types.Statistics = self._call("statistics", "GET", "/v1/stats", {}, {"days": days, "limit": limit}, None)
        return answer

    def verdicts_over_time(self, *, from_: Optional[str] = None, spans: Optional[int] = None, seconds: Optional[int] = None) -> types.VerdictsOverTime:
        """Count the verdicts in equal spans of time."""
        answer: types.VerdictsOverTime = self._call("verdictsOverTime", "GET", "/v1/stats/verdicts", {}, {"from": from_, "spans": spans, "seconds": seconds}, None)
        return answer

    def list_alert_channels(self) -> types.AlertChannelList:
        """List alert channels."""
        answer: types.AlertChannelList = self._call("listAlertChannels", "GET", "/v1/alerts/channels", {}, {}, None)
        return answer

    def create_alert_channel(self, *, type: Literal["webhook", "slack", "email"], name: Optional[str] = None, url: Optional[str] = None, to: Optional[str] = None, sources: Optional[List[str]] = None, on: Optional[Literal["warn", "block"]] = None) -> types.CreatedAlertChannel:
        """Create an alert channel."""
        answer: types.CreatedAlertChannel = self._call("createAlertChannel", "POST", "/v1/alerts/channels", {}, {}, given({"type": type, "name": name, "url": url, "to": to, "sources": sources, "on": on}))
        return answer

    def find_alert_channel(self, id: str) -> types.AlertChannel:
        """Get an alert channel."""
        answer: types.AlertChannel = self._call("findAlertChannel", "GET", "/v1/alerts/channels/{id}", {"id": id}, {}, None)
        return answer

    def change_alert_channel(self, id: str, *, name: Optional[str] = None, url: Optional[str] = None, to: Optional[str] = None, sources: Optional[List[str]] = None, on: Optional[Literal["warn", "block"]] = None) -> types.AlertChannel:
        """Change an alert channel."""
        answer: types.AlertChannel = self._call("changeAlertChannel", "PATCH", "/v1/alerts/channels/{id}", {"id": id}, {}, given({"name": name, "url": url, "to": to, "sources": sources, "on": on}))
        return answer

    def delete_alert_channel(self, id: str) -> types.DeletedAlertChannel:
        """Delete an alert channel."""
        answer: types.DeletedAlertChannel = self._call("deleteAlertChannel", "DELETE", "/v1/alerts/channels/{id}", {"id": id}, {}, None)
        return answer

    def test_alert_channel(self, id: str) -> types.AlertDelivery:
        """Test an alert channel."""
        answer: types.AlertDelivery = self._call("testAlertChannel", "POST", "/v1/alerts/channels/{id}/test", {"id": id}, {}, None)
        return answer

    def rotate_alert_secret(self, id: str) -> types.RotatedAlertChannel:
        """Rotate the secret of a webhook."""
        answer: types.RotatedAlertChannel = self._call("rotateAlertSecret", "POST", "/v1/alerts/channels/{id}/rotate", {"id": id}, {}, None)
        return answer

    def list_alert_deliveries(self, *, channel: Optional[str] = None, limit: Optional[int] = None, before: Optional[str] = None) -> types.AlertDeliveryList:
        """List alert deliveries."""
        answer: types.AlertDeliveryList = self._call("listAlertDeliveries", "GET", "/v1/alerts/deliveries", {}, {"channel": channel, "limit": limit, "before": before}, None)
        return answer

    def find_alert_delivery(self, id: str) -> types.AlertDelivery:
        """Get an alert delivery."""
        answer: types.AlertDelivery = self._call("findAlertDelivery", "GET", "/v1/alerts/deliveries/{id}", {"id": id}, {}, None)
        return answer

    def resend_alert_delivery(self, id: str) -> types.AlertDelivery:
        """Send a delivery again."""
        answer: types.AlertDelivery = self._call("resendAlertDelivery", "POST", "/v1/alerts/deliveries/{id}/resend", {"id": id}, {}, None)
        return answer

    def list_incidents(self, *, status: Optional[str] = None, source: Optional[str] = None, limit: Optional[int] = None, before: Optional[str] = None) -> types.IncidentList:
        """List incidents."""
        answer: types.IncidentList = self._call("listIncidents", "GET", "/v1/incidents", {}, {"status": status, "source": source, "limit": limit, "before": before}, None)
        return answer

    def find_incident(self, id: str) -> types.Incident:
        """Get an incident."""
        answer: types.Incident = self._call("findIncident", "GET", "/v1/incidents/{id}", {"id": id}, {}, None)
        return answer

    def acknowledge_incident(self, id: str) -> types.Incident:
        """Acknowledge an incident."""
        answer: types.Incident = self._call("acknowledgeIncident", "POST", "/v1/incidents/{id}/acknowledge", {"id": id}, {}, None)
        return answer

    def snooze_incident(self, id: str, *, until: Union[str, None]) -> types.Incident:
        """Snooze an incident."""
        answer: types.Incident = self._call("snoozeIncident", "POST", "/v1/incidents/{id}/snooze", {"id": id}, {}, given({"until": until}))
        return answer


class AsyncOperations:
    """The operations of the API that take no rows. All raise `SluiceError`."""

    async def _call(
        self, name: str, method: str, path: str, names: Dict[str, str], query: Dict[str, Any], body: Any
    ) -> Any:
        raise NotImplementedError

    async def health(self) -> types.Health:
        """Check whether the process answers."""
        answer: types.Health = await self._call("health", "GET", "/v1/health", {}, {}, None)
        return answer

    async def ready(self) -> types.Ready:
        """Check whether requests can be served now."""
        answer: types.Ready = await self._call("ready", "GET", "/v1/ready", {}, {}, None)
        return answer

    async def list_batches(self) -> types.BatchList:
        """List batches that come in parts."""
        answer: types.BatchList = await self._call("listBatches", "GET", "/v1/batches", {}, {}, None)
        return answer

    async def find_batch(self, id: str) -> types.BatchInParts:
        """Get a batch that comes in parts."""
        answer: types.BatchInParts = await self._call("findBatch", "GET", "/v1/batches/{id}", {"id": id}, {}, None)
        return answer

    async def abort_batch(self, id: str) -> types.BatchInParts:
        """Give a batch up."""
        answer: types.BatchInParts = await self._call("abortBatch", "DELETE", "/v1/batches/{id}", {"id": id}, {}, None)
        return answer

    async def list_keys(self) -> types.KeyList:
        """List keys."""
        answer: types.KeyList = await self._call("listKeys", "GET", "/v1/keys", {}, {}, None)
        return answer

    async def create_key(self, *, name: Optional[Union[str, None]] = None) -> types.NewKey:
        """Create a key."""
        answer: types.NewKey = await self._call("createKey", "POST", "/v1/keys", {}, {}, given({"name": name}))
        return answer

    async def find_key(self, id: str) -> types.ApiKey:
        """Get a key."""
        answer: types.ApiKey = await self._call("findKey", "GET", "/v1/keys/{id}", {"id": id}, {}, None)
        return answer

    async def delete_key(self, id: str) -> types.DeletedKey:
        """Delete a key."""
        answer: types.DeletedKey = await self._call("deleteKey", "DELETE", "/v1/keys/{id}", {"id": id}, {}, None)
        return answer

    async def send_code(self, *, email: str) -> types.CodeSent:
        """Request a one-time code."""
        answer: types.CodeSent = await self._call("sendCode", "POST", "/v1/auth/otp", {}, {}, given({"email": email}))
        return answer

    async def open_session(self, *, email: str, code: str) -> types.Session:
        """Sign in with the code."""
        answer: types.Session = await self._call("openSession", "POST", "/v1/auth/session", {}, {}, given({"email": email, "code": code}))
        return answer

    async def end_session(self) -> types.EndedSession:
        """Sign out."""
        answer: types.EndedSession = await self._call("endSession", "DELETE", "/v1/auth/session", {}, {}, None)
        return answer

    async def list_sessions(self) -> types.SessionList:
        """List the sessions of the account."""
        answer: types.SessionList = await self._call("listSessions", "GET", "/v1/auth/sessions", {}, {}, None)
        return answer

    async def end_other_sessions(self) -> types.EndedOtherSessions:
        """End all sessions of the account."""
        answer: types.EndedOtherSessions = await self._call("endOtherSessions", "DELETE", "/v1/auth/sessions", {}, {}, None)
        return answer

    async def find_session(self, id: str) -> types.ListedSession:
        """Get a session of the account."""
        answer: types.ListedSession = await self._call("findSession", "GET", "/v1/auth/sessions/{id}", {"id": id}, {}, None)
        return answer

    async def end_one_session(self, id: str) -> types.EndedOneSession:
        """End a session of the account."""
        answer: types.EndedOneSession = await self._call("endOneSession", "DELETE", "/v1/auth/sessions/{id}", {"id": id}, {}, None)
        return answer

    async def claim_account(self, *, key: str) -> types.ClaimedAccount:
        """Sign in to the account of an API key."""
        answer: types.ClaimedAccount = await self._call("claimAccount", "POST", "/v1/account/claim", {}, {}, given({"key": key}))
        return answer

    async def show_billing(self) -> types.Billing:
        """Plan and usage."""
        answer: types.Billing = await self._call("showBilling", "GET", "/v1/billing", {}, {}, None)
        return answer

    async def start_checkout(self, *, tier: Literal["starter", "growth", "scale"]) -> types.PageAddress:
        """Subscribe to a plan."""
        answer: types.PageAddress = await self._call("startCheckout", "POST", "/v1/billing/checkout", {}, {}, given({"tier": tier}))
        return answer

    async def open_portal(self) -> types.PageAddress:
        """Change or cancel the subscription."""
        answer: types.PageAddress = await self._call("openPortal", "POST", "/v1/billing/portal", {}, {}, None)
        return answer

    async def list_baselines(self, *, limit: Optional[int] = None, after: Optional[str] = None) -> types.BaselineList:
        """List sources with a baseline."""
        answer: types.BaselineList = await self._call("listBaselines", "GET", "/v1/schema", {}, {"limit": limit, "after": after}, None)
        return answer

    async def reset_all_baselines(self) -> types.Reset:
        """Reset the baselines of all sources."""
        answer: types.Reset = await self._call("resetAllBaselines", "DELETE", "/v1/schema", {}, {}, None)
        return answer

    async def describe_baseline(self, source: str) -> types.Baseline:
        """Describe a baseline."""
        answer: types.Baseline = await self._call("describeBaseline", "GET", "/v1/schema/{source}", {"source": source}, {}, None)
        return answer

    async def reset_baseline(self, source: str) -> types.Reset:
        """Reset the baseline of a source."""
        answer: types.Reset = await self._call("resetBaseline", "DELETE", "/v1/schema/{source}", {"source": source}, {}, None)
        return answer

    async def list_jobs(self, *, limit: Optional[int] = None, source: Optional[str] = None, status: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, before: Optional[str] = None) -> types.JobList:
        """List jobs."""
        answer: types.JobList = await self._call("listJobs", "GET", "/v1/jobs", {}, {"limit": limit, "source": source, "status": status, "from": from_, "to": to, "before": before}, None)
        return answer

    async def find_job(self, id: str) -> types.CompleteJob:
        """Get a job with its report and field profiles."""
        answer: types.CompleteJob = await self._call("findJob", "GET", "/v1/jobs/{id}", {"id": id}, {}, None)
        return answer

    async def source_history(self, source: str, *, limit: Optional[int] = None, before: Optional[str] = None) -> types.History:
        """List the batches of a source, for charts."""
        answer: types.History = await self._call("sourceHistory", "GET", "/v1/schema/{source}/history", {"source": source}, {"limit": limit, "before": before}, None)
        return answer

    async def source_trends(self, source: str, *, field: Optional[str] = None) -> types.Trends:
        """Get the statistics of a field over the newest batches."""
        answer: types.Trends = await self._call("sourceTrends", "GET", "/v1/schema/{source}/trends", {"source": source}, {"field": field}, None)
        return answer

    async def get_settings(self, source: str) -> types.Settings:
        """Get the settings of a source."""
        answer: types.Settings = await self._call("getSettings", "GET", "/v1/schema/{source}/settings", {"source": source}, {}, None)
        return answer

    async def put_settings(self, source: str, *, mode: Optional[Literal["contract", "adaptive", "auto", None]] = None, thresholds: Optional[Union[types.SettingsRequestThresholds, None]] = None, false_alarm_rate: Optional[Union[float, None]] = None, settle_after: Optional[Any] = None, signs: Optional[Any] = None, window: Optional[Union[types.SettingsRequestWindow, None]] = None, owner: Optional[Union[str, None]] = None, tags: Optional[Union[List[str], None]] = None, if_version: Optional[int] = None) -> types.Settings:
        """Replace the settings of a source."""
        answer: types.Settings = await self._call("putSettings", "PUT", "/v1/schema/{source}/settings", {"source": source}, {"if_version": if_version}, given({"mode": mode, "thresholds": thresholds, "false_alarm_rate": false_alarm_rate, "settle_after": settle_after, "signs": signs, "window": window, "owner": owner, "tags": tags}))
        return answer

    async def pin_baseline(self, source: str, *, pinned: bool) -> types.Pinned:
        """Pin or unpin a baseline."""
        answer: types.Pinned = await self._call("pinBaseline", "POST", "/v1/schema/{source}/pin", {"source": source}, {}, given({"pinned": pinned}))
        return answer

    async def get_rules(self, source: str) -> types.SourceRules:
        """Show the rules of a source."""
        answer: types.SourceRules = await self._call("getRules", "GET", "/v1/schema/{source}/rules", {"source": source}, {}, None)
        return answer

    async def put_rules(self, source: str, *, fields: Optional[Dict[str, types.FieldRules]] = None, rows: Optional[types.RowRules] = None, compare: Optional[List[types.CompareRule]] = None, when: Optional[List[types.WhenRule]] = None, statistics: Optional[List[types.StatisticRule]] = None, severity: Optional[Literal["warn", "block"]] = None, tolerance: Optional[float] = None, description: Optional[str] = None, if_version: Optional[int] = None) -> types.ChangedRules:
        """Replace the rules of a source."""
        answer: types.ChangedRules = await self._call("putRules", "PUT", "/v1/schema/{source}/rules", {"source": source}, {"if_version": if_version}, given({"fields": fields, "rows": rows, "compare": compare, "when": when, "statistics": statistics, "severity": severity, "tolerance": tolerance, "description": description}))
        return answer

    async def delete_rules(self, source: str, *, if_version: Optional[int] = None) -> types.RulesDeleted:
        """Delete the rules of a source."""
        answer: types.RulesDeleted = await self._call("deleteRules", "DELETE", "/v1/schema/{source}/rules", {"source": source}, {"if_version": if_version}, None)
        return answer

    async def list_rule_changes(self, source: str) -> types.RulesChangeList:
        """List who changed the rules of a source."""
        answer: types.RulesChangeList = await self._call("listRuleChanges", "GET", "/v1/schema/{source}/rules/history", {"source": source}, {}, None)
        return answer

    async def suggest_rules(self, source: str) -> types.SuggestedRules:
        """Suggest rules for a source."""
        answer: types.SuggestedRules = await self._call("suggestRules", "GET", "/v1/schema/{source}/rules/suggested", {"source": source}, {}, None)
        return answer

    async def import_rules(self, source: str, body: Dict[str, Any], *, format: str, table: Optional[str] = None, apply: Optional[bool] = None, if_version: Optional[int] = None) -> types.ImportedRules:
        """Make rules of a document of another program."""
        answer: types.ImportedRules = await self._call("importRules", "POST", "/v1/schema/{source}/rules/import", {"source": source}, {"format": format, "table": table, "apply": apply, "if_version": if_version}, body)
        return answer

    async def accept_batch(self, source: str, *, job_id: str) -> types.Taught:
        """Accept a batch as the new normal."""
        answer: types.Taught = await self._call("acceptBatch", "POST", "/v1/schema/{source}/accept", {"source": source}, {}, given({"job_id": job_id}))
        return answer

    async def give_feedback(self, source: str, *, job_id: str, verdict: Literal["expected", "bad"]) -> types.Taught:
        """Give feedback on a batch: expected or bad."""
        answer: types.Taught = await self._call("giveFeedback", "POST", "/v1/schema/{source}/feedback", {"source": source}, {}, given({"job_id": job_id, "verdict": verdict}))
        return answer

    async def list_versions(self, source: str) -> types.VersionList:
        """List stored versions of a baseline."""
        answer: types.VersionList = await self._call("listVersions", "GET", "/v1/schema/{source}/versions", {"source": source}, {}, None)
        return answer

    async def list_source_changes(self, source: str, *, limit: Optional[int] = None) -> types.SourceChangeList:
        """List what people and programs changed."""
        answer: types.SourceChangeList = await self._call("listSourceChanges", "GET", "/v1/schema/{source}/changes", {"source": source}, {"limit": limit}, None)
        return answer

    async def roll_back(self, source: str, *, version: int) -> types.RolledBack:
        """Roll back to a version."""
        answer: types.RolledBack = await self._call("rollBack", "POST", "/v1/schema/{source}/rollback", {"source": source}, {}, given({"version": version}))
        return answer

    async def statistics(self, *, days: Optional[int] = None, limit: Optional[int] = None) -> types.Statistics:
        """Get totals of the last days."""
        answer: types.Statistics = await self._call("statistics", "GET", "/v1/stats", {}, {"days": days, "limit": limit}, None)
        return answer

    async def verdicts_over_time(self, *, from_: Optional[str] = None, spans: Optional[int] = None, seconds: Optional[int] = None) -> types.VerdictsOverTime:
        """Count the verdicts in equal spans of time."""
        answer: types.VerdictsOverTime = await self._call("verdictsOverTime", "GET", "/v1/stats/verdicts", {}, {"from": from_, "spans": spans, "seconds": seconds}, None)
        return answer

    async def list_alert_channels(self) -> types.AlertChannelList:
        """List alert channels."""
        answer: types.AlertChannelList = await self._call("listAlertChannels", "GET", "/v1/alerts/channels", {}, {}, None)
        return answer

    async def create_alert_channel(self, *, type: Literal["webhook", "slack", "email"], name: Optional[str] = None, url: Optional[str] = None, to: Optional[str] = None, sources: Optional[List[str]] = None, on: Optional[Literal["warn", "block"]] = None) -> types.CreatedAlertChannel:
        """Create an alert channel."""
        answer: types.CreatedAlertChannel = await self._call("createAlertChannel", "POST", "/v1/alerts/channels", {}, {}, given({"type": type, "name": name, "url": url, "to": to, "sources": sources, "on": on}))
        return answer

    async def find_alert_channel(self, id: str) -> types.AlertChannel:
        """Get an alert channel."""
        answer: types.AlertChannel = await self._call("findAlertChannel", "GET", "/v1/alerts/channels/{id}", {"id": id}, {}, None)
        return answer

    async def change_alert_channel(self, id: str, *, name: Optional[str] = None, url: Optional[str] = None, to: Optional[str] = None, sources: Optional[List[str]] = None, on: Optional[Literal["warn", "block"]] = None) -> types.AlertChannel:
        """Change an alert channel."""
        answer: types.AlertChannel = await self._call("changeAlertChannel", "PATCH", "/v1/alerts/channels/{id}", {"id": id}, {}, given({"name": name, "url": url, "to": to, "sources": sources, "on": on}))
        return answer

    async def delete_alert_channel(self, id: str) -> types.DeletedAlertChannel:
        """Delete an alert channel."""
        answer: types.DeletedAlertChannel = await self._call("deleteAlertChannel", "DELETE", "/v1/alerts/channels/{id}", {"id": id}, {}, None)
        return answer

    async def test_alert_channel(self, id: str) -> types.AlertDelivery:
        """Test an alert channel."""
        answer: types.AlertDelivery = await self._call("testAlertChannel", "POST", "/v1/alerts/channels/{id}/test", {"id": id}, {}, None)
        return answer

    async def rotate_alert_secret(self, id: str) -> types.RotatedAlertChannel:
        """Rotate the secret of a webhook."""
        answer: types.RotatedAlertChannel = await self._call("rotateAlertSecret", "POST", "/v1/alerts/channels/{id}/rotate", {"id": id}, {}, None)
        return answer

    async def list_alert_deliveries(self, *, channel: Optional[str] = None, limit: Optional[int] = None, before: Optional[str] = None) -> types.AlertDeliveryList:
        """List alert deliveries."""
        answer: types.AlertDeliveryList = await self._call("listAlertDeliveries", "GET", "/v1/alerts/deliveries", {}, {"channel": channel, "limit": limit, "before": before}, None)
        return answer

    async def find_alert_delivery(self, id: str) -> types.AlertDelivery:
        """Get an alert delivery."""
        answer: types.AlertDelivery = await self._call("findAlertDelivery", "GET", "/v1/alerts/deliveries/{id}", {"id": id}, {}, None)
        return answer

    async def resend_alert_delivery(self, id: str) -> types.AlertDelivery:
        """Send a delivery again."""
        answer: types.AlertDelivery = await self._call("resendAlertDelivery", "POST", "/v1/alerts/deliveries/{id}/resend", {"id": id}, {}, None)
        return answer

    async def list_incidents(self, *, status: Optional[str] = None, source: Optional[str] = None, limit: Optional[int] = None, before: Optional[str] = None) -> types.IncidentList:
        """List incidents."""
        answer: types.IncidentList = await self._call("listIncidents", "GET", "/v1/incidents", {}, {"status": status, "source": source, "limit": limit, "before": before}, None)
        return answer

    async def find_incident(self, id: str) -> types.Incident:
        """Get an incident."""
        answer: types.Incident = await self._call("findIncident", "GET", "/v1/incidents/{id}", {"id": id}, {}, None)
        return answer

    async def acknowledge_incident(self, id: str) -> types.Incident:
        """Acknowledge an incident."""
        answer: types.Incident = await self._call("acknowledgeIncident", "POST", "/v1/incidents/{id}/acknowledge", {"id": id}, {}, None)
        return answer

    async def snooze_incident(self, id: str, *, until: Union[str, None]) -> types.Incident:
        """Snooze an incident."""
        answer: types.Incident = await self._call("snoozeIncident", "POST", "/v1/incidents/{id}/snooze", {"id": id}, {}, given({"until": until}))
        return answer
